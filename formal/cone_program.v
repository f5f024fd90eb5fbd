(* SPDX-License-Identifier: BSD-3-Clause

   Weak duality of cone programs: make formal *)

From Coq Require Import Reals Lra Psatz List PeanoNat.
Require Import vectors.
Import ListNotations.
Open Scope R_scope.

Inductive cone := Zero (size : nat) | Nonnegative (size : nat) | SecondOrder (size : nat).
Definition size_of K := match K with Zero k | Nonnegative k | SecondOrder k => k end.
Definition rows := fold_right (fun K above => (size_of K + above)%nat) O.

(* Second-order:  s_0 >= 0  and  s_0^2 >= s_1^2 + ... *)
Definition second_order k (s : nat -> R) :=
  match k with O => True | S k => 0 <= s O /\ sum k (fun i => s (S i) * s (S i)) <= s O * s O end.
Definition in_cone K s :=
  match K with
  | Zero k => forall i, (i < k)%nat -> s i = 0
  | Nonnegative k => forall i, (i < k)%nat -> 0 <= s i
  | SecondOrder k => second_order k s
  end.
Definition in_dual_cone K z := match K with Zero _ => True | _ => in_cone K z end.

(* Membership of a product of cones, one after the other. *)
Fixpoint all_in (member : cone -> (nat -> R) -> Prop) cones s :=
  match cones with [] => True | K :: others => member K s /\ all_in member others (fun i => s (size_of K + i)%nat) end.

(* The inner product of two points of the second-order cone is not negative. *)
Theorem second_order_cone_is_its_own_dual k s z : second_order k s -> second_order k z -> 0 <= dot k s z.
Proof.
  destruct k as [|k]; simpl; [unfold dot; simpl; lra|]. intros [Hs Hs'] [Hz Hz'].
  replace (dot (S k) s z) with (s O * z O + dot k (fun i => s (S i)) (fun i => z (S i))).
  2: { unfold dot. replace (S k) with (1 + k)%nat by easy. rewrite sum_split. simpl. ring. }
  set (a i := s (S i)). set (b i := z (S i)).
  assert (Ha : 0 <= dot k a a <= s O * s O) by (split; [apply sum_nonnegative; intros; apply Rle_0_sqr|exact Hs']).
  assert (Hb : 0 <= dot k b b <= z O * z O) by (split; [apply sum_nonnegative; intros; apply Rle_0_sqr|exact Hz']).
  assert (dot k a a * dot k b b <= s O * s O * (z O * z O)) by (apply Rmult_le_compat; tauto).
  assert (0 <= s O * z O) by (apply Rmult_le_pos; auto). generalize (cauchy_schwarz_of_sums k a b).
  intros. destruct (Rle_dec 0 (s O * z O + dot k a b)); [auto|nra].
Qed.

Lemma inner_product_of_dual_cones cones : forall s z, all_in in_cone cones s -> all_in in_dual_cone cones z ->
  0 <= dot (rows cones) s z.
Proof.
  induction cones as [|K others IH]; simpl; intros s z Hs Hz; [unfold dot; simpl; lra|].
  destruct Hs as [Hs Hs'], Hz as [Hz Hz']. unfold dot. rewrite sum_split.
  apply Rplus_le_le_0_compat; [|now apply IH]. destruct K as [k|k|k]; simpl in *.
  - rewrite sum_zero; [lra|]. intros i Hi. rewrite Hs by auto; ring.
  - apply sum_nonnegative. intros i Hi. apply Rmult_le_pos; auto.
  - now apply second_order_cone_is_its_own_dual.
Qed.

(* The minimum of  1/2 x'P x + q'x + o  over x with  lower <= x <= upper  and  h - A x  in a product of cones. *)
Section ConeProgram.
Variables (n : nat) (P A : nat -> nat -> R) (q h : nat -> R) (o : R) (cones : list cone).
Variables lower upper : nat -> option R.
Hypothesis P_symmetric : symmetric n P.

Definition slack x i := h i - dot n (A i) x.
Definition in_bounds (x : nat -> R) := forall j, (j < n)%nat -> within (lower j) (upper j) (x j).
Definition admitted x := in_bounds x /\ all_in in_cone cones (slack x).
Definition objective x := square n P x / 2 + dot n q x + o.

(* The least value of  g x_j; None means that it is not bounded from below. *)
Definition payment g j : option R :=
  if Req_EM_T g 0 then Some 0 else option_map (Rmult g) (if Rlt_dec 0 g then lower j else upper j).

Lemma payment_is_least g j x : within (lower j) (upper j) x -> forall least, payment g j = Some least -> least <= g * x.
Proof.
  intros [Hl Hu] least. unfold payment. destruct (Req_EM_T g 0) as [->|Hg]; [intros [= <-]; lra|].
  destruct (Rlt_dec 0 g).
  - destruct (lower j); simpl; [intros [= <-]; nra|easy].
  - destruct (upper j); simpl; [intros [= <-]; nra|easy].
Qed.

Lemma inner_product_with_slack x z :
  dot (rows cones) (slack x) z = dot (rows cones) h z - dot n x (fun j => dot (rows cones) (fun i => A i j) z).
Proof.
  unfold dot. rewrite (sum_equal n _ (fun j => sum (rows cones) (fun i => A i j * x j * z i))).
  2: { intros. rewrite <- sum_scaled. apply sum_equal; intros; ring. }
  rewrite sum_swapped, <- sum_minus. apply sum_equal; intros i Hi. unfold slack, dot.
  rewrite (sum_equal n (fun j => A i j * x j * z i) (fun j => z i * (A i j * x j))) by (intros; ring).
  rewrite sum_scaled. ring.
Qed.

(* z in the dual cones, any y, any s >= 0 with P + s I positive semidefinite, and S, outside of which P is zero:
   every admitted x has objective(x) >= o - 1/2 y'P y - h'z + sum_j payments_j - s/2 sum_{j in S} ways_j,
   where the payment of j is that of  g_j = (P y + q + A'z)_j,  and ways_j is the square of the longest way from y_j
   to a bound. *)
Definition slope y z j := times n P y j + q j + dot (rows cones) (fun i => A i j) z.

Theorem weak_duality_of_a_cone_program x y z s (S : nat -> bool) payments ways :
  admitted x -> all_in in_dual_cone cones z -> 0 <= s -> positive_semidefinite n (shifted s P) ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> S i = false -> P i j = 0) ->
  (forall j, (j < n)%nat -> payment (slope y z j) j = Some (payments j)) ->
  (0 < s -> forall j, (j < n)%nat -> if S j then longest (lower j) (upper j) (y j) = Some (ways j) else ways j = 0) ->
  o - square n P y / 2 - dot (rows cones) h z + sum n payments - s / 2 * sum n ways <= objective x.
Proof.
  intros [Hbounds Hx] Hz Hs Hpos HS Hpay Hways.
  set (v j := if S j then x j - y j else 0).
  assert (Hv : square n P v = square n P (minus x y)).
  { unfold square, form, times, dot. apply sum_equal; intros i Hi. rewrite <- !sum_scaled.
    apply sum_equal; intros j Hj. unfold v, minus. destruct (S i) eqn:Ei, (S j) eqn:Ej; try ring.
    - rewrite (P_symmetric i j), HS by auto; ring.
    - rewrite HS by auto; ring.
    - rewrite HS by auto; ring. }
  assert (Hlack : s * dot n v v <= s * sum n ways).
  { destruct (Req_dec s 0) as [->|]; [lra|]. apply Rmult_le_compat_l; [auto|]. apply sum_at_most. intros j Hj.
    specialize (Hways ltac:(lra) j Hj). unfold v. destruct (S j); [|lra].
    now apply longest_is_longest with (2 := Hways); auto. }
  assert (Hcurve := Hpos v). rewrite square_of_shifted, Hv, square_of_minus in Hcurve by auto.
  assert (Hcones := inner_product_of_dual_cones cones (slack x) z Hx Hz).
  rewrite inner_product_with_slack in Hcones.
  assert (Hsum : sum n payments <= form n P x y + dot n q x + dot n x (fun j => dot (rows cones) (fun i => A i j) z)).
  { unfold form, dot at 1 2 3. rewrite <- !sum_plus. apply sum_at_most. intros j Hj.
    generalize (payment_is_least (slope y z j) j (x j) (Hbounds j Hj) _ (Hpay j Hj)). unfold slope. lra. }
  unfold objective. lra.
Qed.

(* With no objective, a lower bound above 0 shows that nothing is admitted: if  sum_j payments_j > h'z  for the payments
   of  g = A'z,  then there is no admitted x. *)
Theorem no_admitted_point z payments : all_in in_dual_cone cones z ->
  (forall j, (j < n)%nat -> payment (dot (rows cones) (fun i => A i j) z) j = Some (payments j)) ->
  dot (rows cones) h z < sum n payments -> forall x, ~ admitted x.
Proof.
  intros Hz Hpay Hmore x [Hbounds Hx]. assert (Hcones := inner_product_of_dual_cones cones (slack x) z Hx Hz).
  rewrite inner_product_with_slack in Hcones.
  assert (sum n payments <= dot n x (fun j => dot (rows cones) (fun i => A i j) z)); [|lra].
  apply sum_at_most. intros j Hj. rewrite Rmult_comm. apply payment_is_least with j; auto.
Qed.

End ConeProgram.
