(* SPDX-License-Identifier: BSD-3-Clause

   Sums, positive semidefinite matrices and bounds, for the theorems of kernel_qp.v and cone_program.v: make formal

   Vectors and matrices are functions of indices that count from 0; only the indices below the stated size matter. *)

From Coq Require Import Reals Lra Psatz PeanoNat Lia.
Open Scope R_scope.

Fixpoint sum (n : nat) (f : nat -> R) : R := match n with O => 0 | S k => sum k f + f k end.

Lemma sum_equal n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof. induction n; simpl; intros H; [easy|]. rewrite IHn, H; auto. Qed.

Lemma sum_at_most n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof. induction n; simpl; intros H; [lra|]. apply Rplus_le_compat; auto. Qed.

Lemma sum_zero n f : (forall i, (i < n)%nat -> f i = 0) -> sum n f = 0.
Proof. induction n; simpl; intros H; [easy|]. rewrite IHn, H; auto; lra. Qed.

Lemma sum_nonnegative n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof. intros H. rewrite <- (sum_zero n (fun _ => 0)) by easy. now apply sum_at_most. Qed.

Lemma sum_mix n x f y g : sum n (fun i => x * f i + y * g i) = x * sum n f + y * sum n g.
Proof. induction n; simpl; [lra|]. rewrite IHn; lra. Qed.

Lemma sum_plus n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n; simpl; [lra|]. rewrite IHn; lra. Qed.

Lemma sum_minus n f g : sum n (fun i => f i - g i) = sum n f - sum n g.
Proof. induction n; simpl; [lra|]. rewrite IHn; lra. Qed.

Lemma sum_scaled n c f : sum n (fun i => c * f i) = c * sum n f.
Proof. induction n; simpl; [lra|]. rewrite IHn; lra. Qed.

Lemma sum_swapped n m f : sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
Proof.
  induction n; simpl; [symmetry; now apply sum_zero|]. rewrite IHn, <- sum_plus. now apply sum_equal.
Qed.

Lemma sum_split m n f : sum (m + n) f = sum m f + sum n (fun i => f (m + i)%nat).
Proof. induction n; simpl. { rewrite Nat.add_0_r; lra. } rewrite Nat.add_succ_r; simpl; rewrite IHn; lra. Qed.

Lemma sum_of_one n x f : (x < n)%nat -> sum n (fun i => if (i =? x)%nat then f i else 0) = f x.
Proof.
  induction n; simpl; intros H; [lia|]. destruct (Nat.eqb_spec n x) as [->|].
  - rewrite sum_zero; [lra|]. intros i Hi. destruct (Nat.eqb_spec i x); [lia|easy].
  - rewrite IHn by lia; lra.
Qed.

Definition dot n (a b : nat -> R) := sum n (fun i => a i * b i).          (* a'b *)
Definition times n (K : nat -> nat -> R) a i := dot n (K i) a.            (* (K a)_i *)
Definition form n K a b := dot n a (times n K b).                         (* a'K b *)
Definition square n K a := form n K a a.                                  (* a'K a *)
Definition minus (a b : nat -> R) i := a i - b i.

Definition symmetric n (K : nat -> nat -> R) := forall i j, (i < n)%nat -> (j < n)%nat -> K i j = K j i.
Definition positive_semidefinite n K := forall v, 0 <= square n K v.

Lemma form_symmetric n K a b : symmetric n K -> form n K a b = form n K b a.
Proof.
  intros H. unfold form, times, dot.
  transitivity (sum n (fun i => sum n (fun j => a i * (K i j * b j)))).
  { apply sum_equal; intros. now rewrite sum_scaled. }
  rewrite sum_swapped. apply sum_equal; intros j Hj. rewrite <- sum_scaled.
  apply sum_equal; intros i Hi. rewrite (H i j); auto; ring.
Qed.

Lemma form_of_a_mix n K a x b y c : form n K a (fun i => x * b i + y * c i) = x * form n K a b + y * form n K a c.
Proof.
  unfold form, times, dot. rewrite <- sum_mix. apply sum_equal; intros.
  transitivity (a i * (x * sum n (fun j => K i j * b j) + y * sum n (fun j => K i j * c j))); [|ring].
  rewrite <- sum_mix. f_equal. apply sum_equal; intros; ring.
Qed.

Lemma square_of_a_mix n K x a y b : symmetric n K ->
  square n K (fun i => x * a i + y * b i) = x * x * square n K a + 2 * x * y * form n K a b + y * y * square n K b.
Proof.
  intros H. unfold square. rewrite form_of_a_mix, (form_symmetric n K _ a H), (form_symmetric n K _ b H).
  rewrite !form_of_a_mix, (form_symmetric n K b a H); ring.
Qed.

Lemma square_equal n K a b : (forall i, (i < n)%nat -> a i = b i) -> square n K a = square n K b.
Proof.
  intros H. unfold square, form, times, dot. apply sum_equal; intros. rewrite H by auto. f_equal.
  apply sum_equal; intros. now rewrite H by auto.
Qed.

Lemma square_of_minus n K a b : symmetric n K ->
  square n K (minus a b) = square n K a - 2 * form n K a b + square n K b.
Proof.
  intros H. rewrite (square_equal n K _ (fun i => 1 * a i + (-1) * b i)) by (unfold minus; intros; ring).
  rewrite square_of_a_mix by auto; ring.
Qed.

(* A quadratic function p + 2 s q + s^2 r that is nowhere negative has q^2 <= p r. *)
Lemma discriminant p q r : 0 <= p -> 0 <= r -> (forall s, 0 <= p + 2 * s * q + s * s * r) -> q * q <= p * r.
Proof.
  intros Hp Hr H. destruct (Req_dec r 0) as [->|Hr0].
  - destruct (Req_dec q 0) as [->|Hq]; [lra|]. specialize (H (- (p + 1) / (2 * q))).
    replace (p + _ + _) with (-1) in H by (field; auto); lra.
  - specialize (H (- q / r)). replace (p + _ + _) with ((p * r - q * q) / r) in H by (field; auto).
    apply Rmult_le_compat_r with (r := r) in H; [|auto]. unfold Rdiv in H.
    rewrite Rmult_assoc, Rinv_l in H by auto; lra.
Qed.

(* Cauchy, Schwarz: (a'K b)^2 <= a'K a b'K b for a symmetric positive semidefinite K. *)
Theorem cauchy_schwarz n K a b : symmetric n K -> positive_semidefinite n K ->
  form n K a b * form n K a b <= square n K a * square n K b.
Proof.
  intros HK Hpos. apply discriminant; auto. intros s. generalize (Hpos (fun i => 1 * a i + s * b i)).
  rewrite square_of_a_mix by auto; lra.
Qed.

Definition unit x (i : nat) := if (i =? x)%nat then 1 else 0.

Lemma times_at n K v x : (x < n)%nat -> form n K (unit x) v = times n K v x.
Proof.
  intros Hx. unfold form at 1, dot, unit. rewrite <- (sum_of_one n x (times n K v) Hx).
  apply sum_equal; intros. destruct (_ =? _)%nat; ring.
Qed.

Lemma diagonal_at n K x : (x < n)%nat -> square n K (unit x) = K x x.
Proof.
  intros Hx. unfold square. rewrite times_at by auto. unfold times, dot, unit. rewrite <- (sum_of_one n x (K x) Hx).
  apply sum_equal; intros. destruct (_ =? _)%nat; ring.
Qed.

(* A function f = sum_j v_j k(x_j, .) has  f(x)^2 <= k(x, x) ||f||^2  at each of the points. *)
Theorem values_are_bounded_by_the_norm n K v x : symmetric n K -> positive_semidefinite n K -> (x < n)%nat ->
  times n K v x * times n K v x <= K x x * square n K v.
Proof. intros. rewrite <- times_at, <- diagonal_at with (n := n) by auto. now apply cauchy_schwarz. Qed.

(* K + s I. *)
Definition shifted s (K : nat -> nat -> R) i j := K i j + (if (j =? i)%nat then s else 0).

Lemma square_of_shifted n s K v : square n (shifted s K) v = square n K v + s * dot n v v.
Proof.
  unfold square, form, dot. rewrite <- sum_scaled, <- sum_plus. apply sum_equal; intros i Hi.
  replace (times n (shifted s K) v i) with (times n K v i + s * v i); [ring|].
  unfold times, dot, shifted. rewrite <- (sum_of_one n i (fun j => s * v j)) by auto. rewrite <- sum_plus.
  apply sum_equal; intros. destruct (_ =? _)%nat; ring.
Qed.

Lemma cauchy_schwarz_of_sums n a b : dot n a b * dot n a b <= dot n a a * dot n b b.
Proof.
  apply discriminant; try (apply sum_nonnegative; intros; apply Rle_0_sqr). intros s.
  replace (dot n a a + 2 * s * dot n a b + s * s * dot n b b) with (sum n (fun i => (a i + s * b i) * (a i + s * b i))).
  - apply sum_nonnegative; intros; apply Rle_0_sqr.
  - unfold dot. rewrite <- !sum_scaled, <- !sum_plus. apply sum_equal; intros; ring.
Qed.

Lemma absolute_product k a b : Rabs k * (a * a + b * b) / 2 + a * (k * b) >= 0.
Proof.
  assert (0 <= Rabs k * ((a + b) * (a + b))) by (apply Rmult_le_pos; [apply Rabs_pos|apply Rle_0_sqr]).
  assert (0 <= Rabs k * ((a - b) * (a - b))) by (apply Rmult_le_pos; [apply Rabs_pos|apply Rle_0_sqr]).
  unfold Rabs in *. destruct (Rcase_abs k); nra.
Qed.

(* Gershgorin: if every diagonal entry of a symmetric M is at least the sum of the absolute values of the others of its
   row, then M is positive semidefinite. *)
Definition rest_of_row n (M : nat -> nat -> R) i := sum n (fun j => if (j =? i)%nat then 0 else Rabs (M i j)).

Theorem gershgorin n M : symmetric n M -> (forall i, (i < n)%nat -> rest_of_row n M i <= M i i) ->
  positive_semidefinite n M.
Proof.
  intros HM H v.
  set (off i j := if (j =? i)%nat then 0 else Rabs (M i j)).
  assert (Hdiag : 0 <= sum n (fun i => v i * v i * (M i i - sum n (off i)))).
  { apply sum_nonnegative. intros i Hi. apply Rmult_le_pos; [apply Rle_0_sqr|].
    generalize (H i Hi). unfold rest_of_row, off. lra. }
  assert (Hswap : sum n (fun i => sum n (fun j => off i j * (v j * v j))) =
                  sum n (fun i => v i * v i * sum n (off i))).
  { rewrite sum_swapped. apply sum_equal; intros j Hj. rewrite <- sum_scaled. apply sum_equal; intros i Hi.
    unfold off. rewrite (Nat.eqb_sym i j), (HM i j) by auto. ring. }
  apply Rle_trans with (1 := Hdiag). unfold square, form, dot.
  apply Rle_trans with (sum n (fun i => v i * v i * M i i - sum n (fun j => off i j * (v i * v i + v j * v j) / 2))).
  - rewrite sum_minus.
    rewrite (sum_equal n (fun i => sum n (fun j => _ / 2)) (fun i => / 2 * (v i * v i * sum n (off i)) +
      / 2 * sum n (fun j => off i j * (v j * v j)))).
    2: { intros i Hi. rewrite <- (sum_scaled n (v i * v i)), <- sum_mix. apply sum_equal; intros; field. }
    rewrite sum_mix, Hswap.
    rewrite (sum_equal n (fun i => v i * v i * (M i i - sum n (off i)))
      (fun i => v i * v i * M i i - v i * v i * sum n (off i))) by (intros; ring).
    rewrite sum_minus. lra.
  - apply sum_at_most. intros i Hi. unfold times, dot.
    rewrite <- (sum_of_one n i (fun j => v i * v j * M i j)) by auto. rewrite <- sum_minus, <- sum_scaled.
    apply sum_at_most. intros j Hj. unfold off. destruct (Nat.eqb_spec j i) as [->|]; [lra|].
    generalize (absolute_product (M i j) (v i) (v j)). lra.
Qed.

(* P + s I is positive semidefinite if the rows of  P - G G' + s I  are dominated by their diagonal entries. *)
Definition gram k (G : nat -> nat -> R) i j := dot k (G i) (G j).
Definition without k (P G : nat -> nat -> R) i j := P i j - gram k G i j.

Theorem shift_that_makes_positive n k P G s : symmetric n P ->
  (forall i, (i < n)%nat -> rest_of_row n (without k P G) i <= without k P G i i + s) ->
  positive_semidefinite n (shifted s P).
Proof.
  intros HP H v. set (M := without k P G) in *.
  assert (Hgram : square n P v = square n M v + sum k (fun q => dot n v (fun i => G i q) * dot n v (fun i => G i q))).
  { rewrite (sum_equal k _ (fun q => sum n (fun i => v i * (G i q * dot n v (fun j => G j q))))).
    2: { intros. unfold dot at 1. rewrite Rmult_comm, <- sum_scaled. apply sum_equal; intros; ring. }
    rewrite sum_swapped. unfold square, form, dot at 1 2. rewrite <- sum_plus. apply sum_equal; intros i Hi.
    rewrite sum_scaled. transitivity (v i * (times n M v i + sum k (fun q => G i q * dot n v (fun j => G j q))));
      [f_equal|ring].
    rewrite (sum_equal k _ (fun q => sum n (fun j => G i q * (v j * G j q)))) by (intros; symmetry; apply sum_scaled).
    rewrite sum_swapped. unfold times, dot. rewrite <- sum_plus. apply sum_equal; intros j Hj.
    rewrite (sum_equal k _ (fun q => v j * (G i q * G j q))) by (intros; ring). rewrite sum_scaled.
    unfold M, without, gram, dot. ring. }
  assert (HM : symmetric n (shifted s M)).
  { intros i j Hi Hj. unfold shifted, M, without, gram, dot. rewrite (HP i j), (Nat.eqb_sym j i) by auto.
    f_equal. f_equal. apply sum_equal; intros; ring. }
  assert (HMs : 0 <= square n (shifted s M) v).
  { apply gershgorin; auto. intros i Hi. unfold shifted at 2. rewrite Nat.eqb_refl.
    eapply Rle_trans; [|now apply H]. apply Req_le, sum_equal. intros j Hj. unfold shifted.
    destruct (_ =? _)%nat; [easy|]. f_equal; ring. }
  rewrite square_of_shifted in *. rewrite Hgram.
  assert (0 <= sum k (fun q => dot n v (fun i => G i q) * dot n v (fun i => G i q))); [|lra].
  apply sum_nonnegative; intros. apply Rle_0_sqr.
Qed.

(* Whether  l <= s <= u,  where a bound that is None is absent. *)
Definition within (l u : option R) s :=
  match l with Some l => l <= s | None => True end /\ match u with Some u => s <= u | None => True end.

(* The square of the longest way from y to an end of its bounds; None means infinity. *)
Definition longest (l u : option R) y : option R :=
  match l, u with Some l, Some u => let d := Rmax (y - l) (u - y) in Some (d * d) | _, _ => None end.

Lemma longest_is_longest l u y x d : within l u x -> longest l u y = Some d -> (x - y) * (x - y) <= d.
Proof.
  unfold longest. intros [Hl Hu]. destruct l as [l|], u as [u|]; try easy. intros [= <-].
  generalize (Rmax_l (y - l) (u - y)) (Rmax_r (y - l) (u - y)). set (d' := Rmax _ _). nra.
Qed.
