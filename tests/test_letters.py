# SPDX-License-Identifier: BSD-3-Clause
"""The table of letters of the site: each model has one, of what its code has, in the letters that its page uses."""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import formulations
from formulations.modelling import Model
from model_data import MODEL_CASES, MODELS

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))

from extensions.letters import LETTERS, Letter, letters_of, letters_table, listed
from extensions.named_pages import FOLDER, pages

SHOWN = pages("letters")
LISTED = re.compile(r"^```\{model-letters\}.*?$(.*?)^```$", re.MULTILINE | re.DOTALL)
QUANTITIES = {
    name: [each for text in LISTED.findall(page.read_text(encoding="utf-8")) for each in listed(text)]
    for name, page in SHOWN.items()
}
"""What the page of each model lists."""
DIRECTIVE = re.compile(r"^```\{(?:model-|eval-rst|literalinclude).*?^```$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)
FUNCTION = re.compile(r"\\?\w+\([\w,']+\)")
SYMBOL = re.compile(
    r"(?:\\(?:hat|mathsf|mathbf|tilde) ?)?(?:\\[a-z]+|[A-Za-z])(?:\^(?:\\?[a-z]+|[*+-]))?(?:_\w)?'?|" + FUNCTION.pattern
)
"""A letter with accent and index, or a function of something: no product, and no word."""

MEANS_ELSE = {
    "LinearProgramMachine": {"s": "a factor of the kernel"},
    "NormConstrainedClassifier": {"C": "the cost where the norm is penalised"},
    "NormConstrainedRegression": {"C": "the cost where the norm is penalised"},
    "Quantile": {"n": "samples on one side, n_+ and n_-"},
    "RelevanceClassification": {"N": "the normal density", "n": "a sample", "z_i": "a derivative"},
    "RelevanceRegression": {"N": "the normal density"},
}
"""Letters of other traditions that a page has for something else than those have."""


@cache
def statements(name: str) -> tuple[Any, ...]:
    """Return the problems in CVXPY of the model's forms, with the number of its samples; none where it has no forms."""
    case = next((case for case in MODEL_CASES if case.model.__name__ == name), None)
    if case is None:
        return ()
    model = case.state_model()
    return tuple((form.stated, len(model)) for form in model.forms.values())


@cache
def in_code(name: str) -> frozenset[str]:
    """Return what the code of a model has: see ``Letter.code``."""
    model = getattr(formulations, name)
    problems = [problem for problem, _ in statements(name)]
    variables = {variable.name() for problem in problems for variable in problem.variables()}
    labels = {constraint.label for problem in problems for constraint in problem.constraints}
    coefficient = {model.entry.coefficient} if issubclass(model, Model) and model.entry.expands else set()
    classes = {each.__name__ for each in model.__mro__}
    return frozenset({*inspect.signature(model).parameters, *variables, *labels, *coefficient, *classes})


@cache
def words(name: str) -> str:
    """Return all that is written by hand on a model's page, and in the introduction to all pages."""
    texts = [page.read_text(encoding="utf-8") for page in (SHOWN[name], FOLDER / "index.md")]
    return normal("\n".join(DIRECTIVE.sub("", text) for text in texts))


@cache
def formulas(name: str) -> str:
    """Return the formulas of a model's page."""
    text = DIRECTIVE.sub("", SHOWN[name].read_text(encoding="utf-8"))
    found = " ; ".join(block or line for block, line in FORMULA.findall(text))
    return normal(re.sub(r"\\(?:text|operatorname\*?|begin|end)\{.*?\}", " ", found))


def normal(text: str) -> str:
    """Return formulas without what does not tell letters apart: blanks, braces, the name of an index and its place."""
    text = re.sub(r"\\[,!; ]|\\bigl|\\bigr", "", text)
    text = re.sub(r"_[jnkpq](?![a-z])", "_i", re.sub(r"_\{?(\w)\}?", r"_\1", text))
    text = re.sub(r"_i\^(\\\w+|[+-])", r"^\1_i", text)
    return re.sub(r"\s*([()=+<>,-])\s*", r"\1", text).replace("(x_i", "(x")


def symbols(cell: str) -> set[str]:
    """Return the letters of a cell, each without what it is equal to."""
    return {normal(formula).partition("=")[0].strip() for formula in re.findall(r"\$(.+?)\$", cell)}


def uses(text: str, symbol: str) -> bool:
    """Whether formulas use a symbol, f(x) also as f(x, z); a word is no product of its letters."""
    after = r"(?![A-Za-z_^'])" if searched(symbol) == symbol else ""
    return re.search(rf"(?<![A-Za-z\\_{{]){re.escape(searched(symbol))}{after}", text) is not None


def multiplies(text: str, symbol: str) -> bool:
    """Whether formulas use a letter, perhaps in a product, as K is used in YKY."""
    return len(symbol) == 1 and symbol in re.sub(r"\\[A-Za-z]+|(?<=[A-Za-z])_\w|[A-Za-z]_\w", " ", text)


def searched(symbol: str) -> str:
    """Return what of a symbol is looked for: of a function of something its letter and the first argument."""
    return symbol[: symbol.index("(") + 2] if FUNCTION.fullmatch(symbol) else symbol


def of_all(symbol: str) -> str:
    """Return the letter of the vector, where a symbol is that of its entries."""
    return symbol.removesuffix("_i")


def foreign(letter: Letter) -> set[str]:
    """Return the symbols that the traditions have for a quantity."""
    cells = (letter.recognition, letter.lectures, letter.kernels, letter.discriminants)
    return {each for cell in cells for each in symbols(cell) if SYMBOL.fullmatch(each)}


def test_every_page_of_a_model_has_its_letters_before_what_others_call_it() -> None:
    with_page = pages("forms", "solvers", "conventions")
    assert {name: page.stem for name, page in SHOWN.items()} == {name: page.stem for name, page in with_page.items()}
    for page in set(SHOWN.values()):
        headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        after = headings[headings.index("Letters") + 1]
        assert after == ("Elsewhere" if "Elsewhere" in headings else "Sources"), page


def test_every_model_has_letters_and_every_quantity_a_model() -> None:
    assert {model.__name__ for model in MODELS} <= set(QUANTITIES)
    assert set(SHOWN) == set(QUANTITIES)
    assert {quantity for quantities in QUANTITIES.values() for quantity in quantities} == set(LETTERS)


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_model_has_no_letters_of_what_its_code_does_not_have(name: str) -> None:
    assert len(set(QUANTITIES[name])) == len(QUANTITIES[name])
    of_page = {code for other, page in SHOWN.items() if page == SHOWN[name] for code in in_code(other)}
    assert [each.quantity for each in letters_of(QUANTITIES[name]) if not of_page & set(each.code)] == []


@pytest.mark.parametrize("name", [model.__name__ for model in MODELS])
def test_each_hyperparameter_and_each_variable_of_the_samples_has_a_letter(name: str) -> None:
    model, named = (
        getattr(formulations, name),
        {code for letter in letters_of(QUANTITIES[name]) for code in letter.code},
    )
    parameters = set(model.entry.names)
    variables = {
        variable.name()
        for problem, samples in statements(name)
        for variable in problem.variables()
        if variable.size in (1, samples)
    }
    assert (parameters | variables) - named == set()


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_page_uses_our_letters(name: str) -> None:
    ours = {symbol for each in letters_of(QUANTITIES[name]) for symbol in symbols(each.ours)}
    used = {each for each in ours if uses(words(name), each) or uses(words(name), of_all(each))}
    assert {each for each in ours - used if not multiplies(formulas(name), of_all(each))} == set()


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_page_uses_no_letter_of_another_tradition_for_what_has_ours(name: str) -> None:
    own = {
        each
        for letter in letters_of(QUANTITIES[name])
        for symbol in symbols(letter.ours)
        for each in (symbol, of_all(symbol))
    }
    others = {symbol for each in letters_of(QUANTITIES[name]) for symbol in foreign(each)}
    strange = {each for each in others if searched(each) not in {searched(symbol) for symbol in own}}
    used = {each for each in strange if uses(formulas(name), each) or multiplies(formulas(name), each)}
    assert used == set(MEANS_ELSE.get(name, ()))


def test_a_table_has_a_dash_where_a_tradition_has_no_letter() -> None:
    assert (
        letters_table(letters_of(QUANTITIES["OneClass"])).splitlines()[-1]
        == "| level of the margin | $\\rho$ | – | – | – | – |"
    )
