# SPDX-License-Identifier: BSD-3-Clause
"""What samples went through goes into the file of a machine: affine maps, choices of columns, encoders, no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from command_line import run_json
from formulations import SoftMargin, load
from formulations.estimators import SVC, SVR, OneClassSVM
from qpkernels import RBF, Spectrum
from qpkernels.errors import FeatureNamesError, FileFormatError, ParameterError, ShapeError
from qpkernels.files import Scaling

RNG = np.random.default_rng(5)
NUMBERS = RNG.normal(size=(80, 4)) * [1.0, 1e-6, 1e6, 1.0] + [0.0, 3e-6, 1e8, 0.0]
NUMBERS[:, 3] = 7.0
COLOURS = RNG.choice(["red", "green", "blue"], 80)
SIZES = RNG.choice([1, 2, 40], 80)
FRAME = pd.DataFrame(NUMBERS, columns=["a", "b", "c", "same"]).assign(colour=COLOURS, size=SIZES)
TABLE = FRAME.to_numpy()
Y = (NUMBERS[:, 0] + 1e6 * (NUMBERS[:, 1] - 3e-6) + (COLOURS == "red") > 0).astype(int)

SCALERS = {
    "standard": StandardScaler(),
    "standard, mean only": StandardScaler(with_std=False),
    "standard, spread only": StandardScaler(with_mean=False),
    "range": MinMaxScaler(),
    "another range": MinMaxScaler((-3.0, 5.0)),
    "largest": MaxAbsScaler(),
    "robust": RobustScaler(),
    "robust, centre only": RobustScaler(with_scaling=False),
    "robust, spread only": RobustScaler(with_centering=False, quantile_range=(10.0, 90.0)),
    "as they are": FunctionTransformer(),
    "two": make_pipeline(StandardScaler(), MinMaxScaler()),
    "passed through": Pipeline([("nothing", "passthrough"), ("range", MinMaxScaler())]),
}
CHOICES = {
    "best": make_pipeline(VarianceThreshold(), StandardScaler(), SelectKBest(k=2)),
    "varying": make_pipeline(VarianceThreshold(), StandardScaler()),
    "by a model": make_pipeline(StandardScaler(), SelectFromModel(LogisticRegression(), max_features=2)),
    "eliminated": make_pipeline(StandardScaler(), RFE(LogisticRegression(), n_features_to_select=2)),
    "columns": ColumnTransformer([("some", StandardScaler(), [2, 0]), ("kept", "passthrough", [3])]),
    "the rest": ColumnTransformer([("some", StandardScaler(), [0, 2])], remainder=MinMaxScaler()),
    "weighed": ColumnTransformer(
        [("some", StandardScaler(), slice(0, 2)), ("kept", "passthrough", [False, False, False, True])],
        transformer_weights={"some": 0.5, "kept": 2.0},
    ),
    "nothing left": ColumnTransformer(
        [("none", "drop", [0]), ("empty", StandardScaler(), []), ("b", MinMaxScaler(), [1])]
    ),
}
ENCODERS = {
    "one hot": OneHotEncoder(),
    "one hot, dense": OneHotEncoder(sparse_output=False),
    "one hot, first dropped": OneHotEncoder(drop="first"),
    "one hot, one of two dropped": OneHotEncoder(drop="if_binary", sparse_output=False),
    "one hot, dropped by name": OneHotEncoder(drop=["green", 40]),
    "one hot, others ignored": OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    "ordinal": OrdinalEncoder(),
    "ordinal, in this order": OrdinalEncoder(categories=[["red", "blue", "green"], [1, 2, 40]]),
    "ordinal, others as -1": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
}


def saved(pipeline: Any, folder: Path) -> Any:
    """Return the machine of a fitted pipeline, with what comes before it, out of its file."""
    return load(pipeline[-1].solution_.predictor.with_preprocessing(pipeline[:-1]).save(folder / "machine"))


def assert_same(machine: Any, pipeline: Any, samples: Any) -> None:
    values = np.atleast_2d(pipeline.decision_function(samples))
    np.testing.assert_allclose(
        np.atleast_2d(machine.decision_function(samples)), values, rtol=0, atol=1e-9 * np.abs(values).max()
    )


@pytest.mark.parametrize("name", SCALERS | CHOICES)
def test_scalers_and_choices_of_columns_go_into_the_file(name: str, tmp_path: Path) -> None:
    pipeline = make_pipeline((SCALERS | CHOICES)[name], SVC(gamma=0.5)).fit(NUMBERS[:60], Y[:60])
    machine = saved(pipeline, tmp_path)
    assert machine.features == 4
    assert_same(machine, pipeline, NUMBERS)
    np.testing.assert_array_equal(machine.predict(NUMBERS), pipeline.predict(NUMBERS))
    assert machine.score(NUMBERS, Y) == pipeline.score(NUMBERS, Y)
    again = load(machine.save(tmp_path / "again"))
    np.testing.assert_array_equal(again.decision_function(NUMBERS), machine.decision_function(NUMBERS))
    with pytest.raises(ShapeError, match=r"samples with 4 features, one sample a row, but X has shape \(5, 3\)"):
        machine.predict(NUMBERS[:5, :3])
    with pytest.raises(ParameterError, match="has its preprocessing already"):
        machine.with_preprocessing(StandardScaler())


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("dense", [False, True])
def test_encoders_go_into_the_file(name: str, dense: bool, tmp_path: Path) -> None:
    columns = ColumnTransformer(
        [("words", ENCODERS[name], ["colour", "size"]), ("numbers", StandardScaler(), slice("a", "c"))],
        sparse_threshold=0.0 if dense else 1.0,
    )
    pipeline = make_pipeline(columns, SVC(gamma=0.5)).fit(FRAME[:60], Y[:60])
    machine = saved(pipeline, tmp_path)
    assert_same(machine, pipeline, FRAME)
    assert machine.feature_names == ("a", "b", "c", "same", "colour", "size")
    for samples in (TABLE, TABLE.tolist(), pl.DataFrame({name: FRAME[name].tolist() for name in FRAME})):
        np.testing.assert_array_equal(machine.decision_function(samples), machine.decision_function(FRAME))
    other = FRAME[:1].assign(colour="pink")
    if "ignored" in name or "-1" in name:
        assert_same(machine, pipeline, other)
    else:
        with pytest.raises(ParameterError, match=r"sample 0 has 'pink' .* knows the categories \['.*'\]; pass one"):
            machine.predict(other)
    with pytest.raises(FeatureNamesError, match="in the order of the fit"):
        machine.predict(FRAME[FRAME.columns[::-1]])


def test_an_encoder_alone_and_of_numbers(tmp_path: Path) -> None:
    kinds = np.column_stack([SIZES, SIZES[::-1] % 2 == 0]).astype(float)
    for encoder in (OneHotEncoder(), OrdinalEncoder(), OneHotEncoder(drop="first", sparse_output=False)):
        pipeline = make_pipeline(encoder, SVR(gamma=0.5)).fit(kinds, NUMBERS[:, 0])
        machine = saved(pipeline, tmp_path)
        np.testing.assert_allclose(machine.predict(kinds), pipeline.predict(kinds), rtol=1e-12)
        np.testing.assert_allclose(machine.predict(csr_matrix(kinds)), pipeline.predict(kinds), rtol=1e-12)
    text = np.column_stack([COLOURS, COLOURS[::-1]])
    pipeline = make_pipeline(OneHotEncoder(), OneClassSVM(nu=0.2)).fit(text)
    np.testing.assert_array_equal(saved(pipeline, tmp_path).predict(text), pipeline.predict(text))


def test_sparse_samples_stay_sparse_or_are_refused(tmp_path: Path) -> None:
    sparse = csr_matrix(np.where(RNG.random((80, 4)) < 0.4, NUMBERS, 0.0))
    best = ColumnTransformer([("some", StandardScaler(with_mean=False), [2, 0, 1])])
    for steps in (MaxAbsScaler(), best, SelectKBest(k=2)):
        pipeline = make_pipeline(steps, SVC(gamma=0.5)).fit(sparse, Y)
        machine = saved(pipeline, tmp_path)
        assert_same(machine, pipeline, sparse)
        assert_same(machine, pipeline, csr_array(sparse))
        np.testing.assert_allclose(
            machine.decision_function(sparse.toarray()), machine.decision_function(sparse), atol=1e-9
        )
    dense = make_pipeline(StandardScaler(), SVC()).fit(sparse.toarray(), Y)
    with pytest.raises(ParameterError, match=r"would fill sparse samples; pass X\.toarray"):
        saved(dense, tmp_path).predict(sparse)


def test_columns_are_chosen_in_every_way(tmp_path: Path) -> None:
    for columns in ("a", ["a", "c"], slice("b", "c"), slice(1, 3), [-1, 0], make_column_selector("a|b"), [True] * 4):
        given = [columns] if columns == "a" else columns
        pipeline = make_pipeline(ColumnTransformer([("some", StandardScaler(), given)]), SVC(gamma=0.5))
        numbers = FRAME[["a", "b", "c", "same"]]
        assert_same(saved(pipeline.fit(numbers, Y), tmp_path), pipeline, numbers)


def test_text_may_pass_one_step_to_the_next(tmp_path: Path) -> None:
    chosen = ColumnTransformer([("words", "passthrough", ["size", "colour"])])
    pipeline = make_pipeline(chosen, OneHotEncoder(), SVC(gamma=0.5)).fit(FRAME, Y)
    assert_same(saved(pipeline, tmp_path), pipeline, FRAME)


def test_scalers_over_twelve_decades(tmp_path: Path) -> None:
    """Any of them, one after the other, on columns of any unit and place, predict what the pipeline does."""
    rng = np.random.default_rng(99)
    steps = [each for name, each in SCALERS.items() if name != "as they are"]
    for seed in range(30):
        samples = rng.normal(size=(30, 3)) * 10.0 ** rng.uniform(-6, 6, 3)
        samples += samples.std(axis=0) * 10.0 ** rng.uniform(-2, 2, 3)
        drawn = [steps[k] for k in rng.integers(0, len(steps), rng.integers(1, 3))]
        pipeline = make_pipeline(*drawn, StandardScaler(), SVR(gamma=0.3)).fit(samples, rng.normal(size=30))
        new = samples + 0.1 * samples.std(axis=0)
        found, expected = saved(pipeline, tmp_path).predict(new), pipeline.predict(new)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max(), err_msg=str(seed))


class Doubled(StandardScaler):  # type: ignore[misc]
    """A scaler that does something else."""

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        return 2.0 * super().transform(X, copy)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (PCA(2), "but PCA.* came; transform the samples before"),
        (Normalizer(), "but Normalizer.* came"),
        (PolynomialFeatures(2), "but PolynomialFeatures.* came"),
        (FunctionTransformer(np.abs), "but FunctionTransformer.* came"),
        (Doubled(), "but Doubled.* came"),
        (make_pipeline(StandardScaler(), PCA(2)), "but PCA.* came"),
        (ColumnTransformer([("some", Normalizer(), [0, 1])]), "but Normalizer.* came"),
        (MinMaxScaler(clip=True), "MinMaxScaler has clip=True; fit it with clip=False"),
        (OneHotEncoder(min_frequency=2, handle_unknown="infrequent_if_exist"), "puts infrequent ones together"),
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan), "unknown_value=nan; fit it with a"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_others_are_refused_by_name(step: Any, words: str) -> None:
    pipeline = make_pipeline(step, SVC()).fit(NUMBERS[:, [0, 3, 3]] if "Encoder" in str(step) else NUMBERS, Y)
    with pytest.raises(ParameterError, match=words):
        pipeline[-1].solution_.predictor.with_preprocessing(pipeline[:-1])


def test_what_is_no_preprocessing_is_refused() -> None:
    predictor = SoftMargin(NUMBERS, Y, RBF(0.5)).solve().predictor
    for other, words in ((SVC().fit(NUMBERS, Y), "but SVC"), ("scaled", "but 'scaled' came"), (3, "but 3 came")):
        with pytest.raises(ParameterError, match=words):
            predictor.with_preprocessing(other)
    with pytest.raises(NotFittedError):
        predictor.with_preprocessing(StandardScaler())
    with pytest.raises(ShapeError, match="that of 3 features, but the functions are of 4"):
        predictor.with_preprocessing(StandardScaler().fit(np.eye(3)))
    of_text = SoftMargin(["ab", "ba", "bb"], [0, 0, 1], Spectrum(1)).solve().predictor
    with pytest.raises(ShapeError, match="but the functions are of samples without features"):
        of_text.with_preprocessing(Scaling.standardise(np.eye(3)))
    missing = np.array([["a"], [None], ["b"], ["a"]], dtype=object)
    pipeline = make_pipeline(OneHotEncoder(), SVC()).fit(missing, [0, 1, 0, 1])
    with pytest.raises(ParameterError, match=r"all numbers or all text, but OneHotEncoder has \['a', 'b', None\]"):
        pipeline[-1].solution_.predictor.with_preprocessing(pipeline[:-1])


def test_the_sizes_of_the_file_are_checked(tmp_path: Path) -> None:
    columns = ColumnTransformer(
        [("words", OneHotEncoder(), ["colour", "size"]), ("some", StandardScaler(), ["a", "c"])], sparse_threshold=1.0
    )
    pipeline = make_pipeline(columns, SVC()).fit(FRAME, Y)
    path = pipeline[-1].solution_.predictor.with_preprocessing(pipeline[:-1]).save(tmp_path / "machine")
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(str(arrays["header"]))
    own = {name: array for name, array in arrays.items() if name.startswith("prepared_")}
    assert header["version"] == 2
    assert {array.dtype.kind for array in own.values()} <= set("fiU")

    def refused(**changes: Any) -> None:
        np.savez(tmp_path / "changed.npz", **(arrays | changes))
        with pytest.raises(FileFormatError):
            load(tmp_path / "changed.npz")

    for name, array in own.items():
        if array.dtype.kind != "U" and name != "prepared_2":
            refused(**{name: array[:-1]})
        refused(**{name: array[None]})
        refused(**{name: np.array([None, {}], dtype=object)})
        if array.dtype.kind == "f":
            refused(**{name: array * np.nan})
        if array.dtype.kind == "i" and name != "prepared_2":
            refused(**{name: array + 10**9})
    text = json.dumps(header["preparation"])
    for old, new in (
        ('"OneHot"', '"Eval"'),
        ('"OneHot"', '"Affine"'),
        ('"array": 0', '"array": 99'),
        ('"known": 6', '"known": "6"'),
        ('"known": 6', '"known": 7'),
        ('"colour"', "3"),
        ('{"step": "Preparation"', '{"step": "Preparation", "more": 1'),
    ):
        assert old in text
        changed = header | {"preparation": json.loads(text.replace(old, new))}
        refused(header=np.array(json.dumps(changed)))
    refused(header=np.array(json.dumps({**header, "preparation": None})))
    refused(header=np.array(json.dumps({**header, "preparation": header["preparation"]["steps"][0]})))


def test_the_command_line_prepares_samples_as_well(tmp_path: Path) -> None:
    numbers = FRAME[["a", "b", "c"]]
    columns = ColumnTransformer([("a", MinMaxScaler(), ["c"]), ("b", MaxAbsScaler(), ["a"])])
    pipeline = make_pipeline(columns, SVC(gamma=0.5)).fit(numbers, Y)
    machine = pipeline[-1].solution_.predictor.with_preprocessing(pipeline[:-1]).save(tmp_path / "machine.npz")
    np.savez(tmp_path / "new.npz", X=numbers.to_numpy())
    numbers.assign(y=Y).to_csv(tmp_path / "new.csv", index=False)
    for new in ("new.npz", "new.csv"):
        found = run_json("predict", tmp_path / new, "--model", machine, "--decision")["decision"]
        np.testing.assert_allclose(found, pipeline.decision_function(numbers), atol=1e-9)
