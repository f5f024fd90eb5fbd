(* SPDX-License-Identifier: BSD-3-Clause

   Weak duality of a kernel-qp, the ball around its optimum, and its intercept: make formal

   Samples have targets t, widths e of the loss, ridges r, and bounds l and u. The problem is the maximum of

       D(b) = t'b - e'|b| - 1/2 b'(K + diag r) b   subject to   l <= b <= u,  B b = c  (or <= c, or >= c). *)

From Coq Require Import Reals Lra Psatz PeanoNat.
Require Import vectors.
Open Scope R_scope.

(* The losses of the samples -------------------------------------------------------------------------------------- *)

(* The loss of a sample at v is the largest price of an s within its bounds: a number bounds it if it is at least every
   price, and s attains it if no price is larger than that of s. *)
Definition price t e r v s := (t - v) * s - e * Rabs s - r * s * s / 2.
Definition bounds_loss t e r l u v L := forall s, within l u s -> price t e r v s <= L.
Definition attains t e r l u v s := within l u s /\ bounds_loss t e r l u v (price t e r v s).

(* Where  slope x - r x^2 / 2  is largest for  0 <= x <= last.  None means infinity. *)
Definition stop slope r (last : option R) : option R :=
  if Rlt_dec 0 r then Some (match last with Some h => Rmin h (slope / r) | None => slope / r end) else last.

Lemma stop_is_largest slope r last s : 0 <= slope -> 0 <= r -> within None last 0 -> stop slope r last = Some s ->
  0 <= s /\ within None last s /\
  forall x, 0 <= x -> within None last x -> slope * x - r * x * x / 2 <= slope * s - r * s * s / 2.
Proof.
  unfold stop, within. intros Hslope Hr [_ H0] H.
  assert (Hdiff : forall x, 0 <= (s - x) * (slope - r * (s + x) / 2) ->
    slope * x - r * x * x / 2 <= slope * s - r * s * s / 2) by (intros; lra).
  destruct (Rlt_dec 0 r) as [Hr0|Hr0].
  - injection H as <-. assert (Hq : 0 <= slope / r) by (apply Rmult_le_pos; [lra|]; now apply Rlt_le, Rinv_0_lt_compat).
    assert (Hqr : slope = r * (slope / r)) by (field; lra). set (q := slope / r) in *. destruct last as [h|].
    + unfold Rmin in *. destruct (Rle_dec h q); repeat split; auto; try lra; intros x Hx [_ Hxh]; apply Hdiff.
      * apply Rmult_le_pos; [lra|]. rewrite Hqr. assert (0 <= r * (q - (h + x) / 2)); [|lra]. apply Rmult_le_pos; lra.
      * rewrite Hqr. assert (0 <= r * ((q - x) * (q - x))); [|lra]. apply Rmult_le_pos; [lra|apply Rle_0_sqr].
    + repeat split; auto. intros x _ _. apply Hdiff. rewrite Hqr.
      assert (0 <= r * ((q - x) * (q - x))); [|lra]. apply Rmult_le_pos; [lra|apply Rle_0_sqr].
  - assert (r = 0) as -> by lra. subst last. repeat split; try lra. intros x Hx [_ Hxs]. apply Hdiff.
    apply Rmult_le_pos; lra.
Qed.

Lemma half_square r x : 0 <= r -> 0 <= r * x * x / 2.
Proof. intros. assert (0 <= r * (x * x)); [|lra]. apply Rmult_le_pos; [auto|apply Rle_0_sqr]. Qed.

(* The three cases of an s that attains the loss, for  e, r >= 0  and  l <= 0 <= u.  The slope of the price right of
   s = 0 is  t - v - e,  and that left of it is  t - v + e. *)
Theorem loss_is_attained_above_0 t e r l u v s : 0 <= e -> 0 <= r -> within l u 0 -> 0 <= t - v - e ->
  stop (t - v - e) r u = Some s -> attains t e r l u v s.
Proof.
  intros He Hr [Hl Hu] Hslope H. destruct (stop_is_largest _ _ _ _ Hslope Hr (conj I Hu) H) as [Hs [[_ Hsu] Hmost]].
  split; [split; [destruct l; simpl in *; lra|auto]|]. unfold bounds_loss, price. intros x [_ Hxu].
  rewrite (Rabs_right s) by lra. destruct (Rle_dec 0 x).
  - rewrite Rabs_right by lra. generalize (Hmost x ltac:(auto) (conj I Hxu)). lra.
  - rewrite Rabs_left by lra. generalize (Hmost 0 ltac:(lra) (conj I Hu)) (half_square r x Hr).
    assert (0 <= (t - v + e) * - x) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma mirrored t e r l u v L :
  bounds_loss t e r l u v L -> bounds_loss (- t) e r (option_map Ropp u) (option_map Ropp l) (- v) L.
Proof.
  unfold bounds_loss, price. intros H x [Hxl Hxu]. specialize (H (- x)). rewrite Rabs_Ropp in H.
  assert (within l u (- x)) as Hx; [|specialize (H Hx); lra]. split; [destruct l|destruct u]; simpl in *; lra.
Qed.

Theorem loss_is_attained_below_0 t e r l u v s : 0 <= e -> 0 <= r -> within l u 0 -> t - v + e <= 0 ->
  stop (- (t - v + e)) r (option_map Ropp l) = Some (- s) -> attains t e r l u v s.
Proof.
  intros He Hr [Hl Hu] Hslope H.
  assert (mirror : attains (- t) e r (option_map Ropp u) (option_map Ropp l) (- v) (- s)).
  { apply loss_is_attained_above_0; auto; [|lra|].
    - split; [destruct u|destruct l]; simpl in *; lra.
    - now replace (- t - - v - e) with (- (t - v + e)) by ring. }
  destruct mirror as [[Hsu Hsl] Hmost]. split; [split; [destruct l|destruct u]; simpl in *; lra|].
  apply mirrored in Hmost. rewrite !Ropp_involutive in Hmost. unfold price in *. rewrite Rabs_Ropp in Hmost.
  replace ((- t - - v) * - s - e * Rabs s - r * - s * - s / 2) with ((t - v) * s - e * Rabs s - r * s * s / 2) in Hmost
    by field. destruct l, u; simpl in *; rewrite ?Ropp_involutive in Hmost; auto.
Qed.

Theorem loss_is_attained_at_0 t e r l u v : 0 <= r -> within l u 0 -> t - v - e <= 0 <= t - v + e ->
  attains t e r l u v 0.
Proof.
  intros Hr H0 Hslopes. split; [auto|]. unfold bounds_loss, price. intros x _. rewrite Rabs_R0.
  generalize (half_square r x Hr). destruct (Rle_dec 0 x); [rewrite Rabs_right by lra|rewrite Rabs_left by lra]; nra.
Qed.

(* Where [stop] is infinite, so is the loss. *)
Theorem loss_is_infinite_above t e l v L : within l None 0 -> 0 < t - v - e -> ~ bounds_loss t e 0 l None v L.
Proof.
  intros [H0 _] Hslope H. set (k := t - v - e) in *. set (x := (Rabs L + 1) / k).
  assert (Hx : 0 <= x) by
    (apply Rmult_le_pos; [generalize (Rabs_pos L); lra|now apply Rlt_le, Rinv_0_lt_compat]).
  assert (Hxk : x * k = Rabs L + 1) by (unfold x; field; lra).
  assert (Hin : within l None x) by (split; [destruct l; simpl in *; lra|easy]).
  generalize (H x Hin) (Rle_abs L). unfold price. rewrite Rabs_right by lra. unfold k in Hxk. lra.
Qed.

Theorem loss_is_infinite_below t e u v L : within None u 0 -> t - v + e < 0 -> ~ bounds_loss t e 0 None u v L.
Proof.
  intros [_ H0] Hslope H. apply mirrored in H. apply loss_is_infinite_above in H; [easy| |lra].
  split; [destruct u; simpl in *; lra|easy].
Qed.

(* The price is affine in v: the larger of two bounds at the ends of an interval is one at every v in between. *)
Theorem loss_is_largest_at_an_end t e r l u v0 v v1 L0 L1 : v0 <= v <= v1 ->
  bounds_loss t e r l u v0 L0 -> bounds_loss t e r l u v1 L1 -> bounds_loss t e r l u v (Rmax L0 L1).
Proof.
  intros Hv H0 H1 s Hs. specialize (H0 s Hs). specialize (H1 s Hs). unfold price in *.
  generalize (Rmax_l L0 L1) (Rmax_r L0 L1). intros. destruct (Rle_dec 0 s); nra.
Qed.

(* Weak duality ------------------------------------------------------------------------------------------------- *)

(* A balance is an equation or an inequality, which fixes the sign of its multiplier. *)
Inductive sense := Equal | AtMost | AtLeast.
Definition holds by_ x y := match by_ with Equal => x = y | AtMost => x <= y | AtLeast => y <= x end.
Definition has_sign by_ w := match by_ with Equal => True | AtMost => 0 <= w | AtLeast => w <= 0 end.

(* The theorems down to [End KernelQP] hold for every kernel-qp: m samples with targets t, widths e >= 0, ridges r >= 0,
   bounds l and u, and p balances  sum_i B_ki b_i = c_k  (or <=, or >=). Its kernel matrix K is that of m + n points,
   of which the first m are the samples. Functions may rest on the other n points, too, and are evaluated at all. *)
Section KernelQP.
Variables (m n p : nat) (K : nat -> nat -> R) (t e r : nat -> R) (l u : nat -> option R).
Variables (B : nat -> nat -> R) (senses : nat -> sense) (c : nat -> R).
Hypothesis K_symmetric : symmetric (m + n) K.
Hypothesis widths : forall i, (i < m)%nat -> 0 <= e i.
Hypothesis ridges : forall i, (i < m)%nat -> 0 <= r i.

(* b is within its bounds, and is 0 beyond the samples; B b = c, <= c, or >= c. *)
Definition in_bounds b :=
  (forall i, (i < m)%nat -> within (l i) (u i) (b i)) /\ forall i, (i < n)%nat -> b (m + i)%nat = 0.
Definition balanced b totals := forall k, (k < p)%nat -> holds (senses k) (dot m (B k) b) (totals k).
Definition feasible b := in_bounds b /\ balanced b c.

(* D(b) = t'b - e'|b| - 1/2 sum_i r_i b_i^2 - 1/2 b'K b. *)
Definition gain b := sum m (fun i => t i * b i - e i * Rabs (b i) - r i * b i * b i / 2).
Definition D b := gain b - square (m + n) K b / 2.

(* The values of  f = sum_j a_j k(x_j, .)  at the points, and (B'w)_i. *)
Definition value a i := times (m + n) K a i.
Definition offset (w : nat -> R) i := sum p (fun k => w k * B k i).

(* P = 1/2 a'K a + c'w + sum_i L_i  for multipliers w of the right signs and numbers L_i that bound the losses at
   f(x_i) + (B'w)_i. *)
Definition P a w L := square (m + n) K a / 2 + dot p c w + sum m L.
Definition signed (w : nat -> R) := forall k, (k < p)%nat -> has_sign (senses k) (w k).
Definition primal_point a w L :=
  signed w /\ forall i, (i < m)%nat -> bounds_loss (t i) (e i) (r i) (l i) (u i) (value a i + offset w i) (L i).

Lemma losses_at_least a w L b : in_bounds b -> primal_point a w L ->
  gain b - form (m + n) K b a - dot m b (offset w) <= sum m L.
Proof.
  intros [Hin Hbeyond] [_ HL].
  assert (H : dot m b (value a) = form (m + n) K b a).
  { unfold form, dot. rewrite sum_split, (sum_zero n); [unfold value; lra|].
    intros i Hi. rewrite Hbeyond by auto; ring. }
  rewrite <- H. unfold gain, dot. rewrite <- !sum_minus. apply sum_at_most. intros i Hi.
  generalize (HL i Hi (b i) (Hin i Hi)). unfold price. lra.
Qed.

Lemma offsets_at_most w b totals : balanced b totals -> signed w ->
  dot m b (offset w) <= dot p totals w.
Proof.
  intros Hb Hw. unfold dot at 1, offset.
  rewrite (sum_equal m _ (fun i => sum p (fun k => b i * (w k * B k i)))) by (intros; now rewrite sum_scaled).
  rewrite sum_swapped. apply sum_at_most. intros k Hk.
  rewrite (sum_equal m _ (fun i => w k * (B k i * b i))) by (intros; ring). rewrite sum_scaled.
  specialize (Hb k Hk). specialize (Hw k Hk). unfold dot in Hb. destruct (senses k); simpl in *; [rewrite Hb|..]; nra.
Qed.

(* Weak duality with the rest that it leaves, for any symmetric K:  D(b) + 1/2 (a - b)'K(a - b) <= P(a, w). *)
Theorem weak_duality_with_its_rest a w L b : feasible b -> primal_point a w L ->
  D b + square (m + n) K (minus a b) / 2 <= P a w L.
Proof.
  intros [Hin Hbal] HL. generalize (losses_at_least a w L b Hin HL) (offsets_at_most w b c Hbal (proj1 HL)).
  rewrite square_of_minus, (form_symmetric _ K a b) by auto. unfold P, D. lra.
Qed.

(* Where K + s I is positive semidefinite, and K need not be, and there are no further points:
   D(b) <= P(a, w) + s/2 sum_i ways_i,  where ways_i is the square of the longest way from a_i to a bound of b_i. *)
Theorem weak_duality_of_a_matrix_that_lacks s a w L ways b : n = O -> 0 <= s -> positive_semidefinite m (shifted s K) ->
  feasible b -> primal_point a w L -> (forall i, (i < m)%nat -> longest (l i) (u i) (a i) = Some (ways i)) ->
  D b <= P a w L + s / 2 * sum m ways.
Proof.
  intros Hn Hs Hpos Hb HL Hways. generalize (weak_duality_with_its_rest a w L b Hb HL) (Hpos (minus a b)).
  rewrite square_of_shifted, Hn, Nat.add_0_r.
  assert (s * dot m (minus a b) (minus a b) <= s * sum m ways); [|lra].
  apply Rmult_le_compat_l; [auto|]. apply sum_at_most. intros i Hi. unfold minus.
  replace ((a i - b i) * (a i - b i)) with ((b i - a i) * (b i - a i)) by ring.
  apply longest_is_longest with (2 := Hways i Hi). now apply Hb.
Qed.

(* From here on, K is positive semidefinite. *)
Hypothesis K_positive : positive_semidefinite (m + n) K.

(* Weak duality:  D(b) <= P(a, w)  for every feasible b, every function f of the span, and every w. *)
Theorem weak_duality_of_a_kernel_qp a w L b : feasible b -> primal_point a w L -> D b <= P a w L.
Proof.
  intros Hb HL. generalize (weak_duality_with_its_rest a w L b Hb HL) (K_positive (minus a b)). lra.
Qed.

(* The ball around the optimum -------------------------------------------------------------------------------- *)

Definition optimal b := feasible b /\ forall other, feasible other -> D other <= D b.
Definition mix s (a b : nat -> R) i := (1 - s) * a i + s * b i.

Lemma mean_at_least s h x y : 0 <= s <= 1 -> h <= x -> h <= y -> h <= (1 - s) * x + s * y.
Proof.
  intros. assert (0 <= (1 - s) * (x - h) + s * (y - h)); [|lra].
  apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
Qed.

Lemma feasible_mix s a b : 0 <= s <= 1 -> feasible a -> feasible b -> feasible (mix s a b).
Proof.
  intros Hs [[Ha Ha'] Ha''] [[Hb Hb'] Hb'']. unfold mix. repeat split.
  - destruct (Ha i H) as [Hl _], (Hb i H) as [Hl' _]. destruct (l i); [now apply mean_at_least|easy].
  - destruct (Ha i H) as [_ Hu], (Hb i H) as [_ Hu']. destruct (u i) as [h|]; [|easy].
    assert (- h <= (1 - s) * - a i + s * - b i) by (apply mean_at_least; lra). lra.
  - intros i Hi. rewrite Ha', Hb' by auto; ring.
  - intros k Hk. unfold dot. rewrite (sum_equal m _ (fun i => (1 - s) * (B k i * a i) + s * (B k i * b i)))
      by (intros; ring). rewrite sum_mix. specialize (Ha'' k Hk). specialize (Hb'' k Hk).
    fold (dot m (B k) a) (dot m (B k) b). destruct (senses k); simpl in *; [rewrite Ha'', Hb''; ring|..].
    + assert (- c k <= (1 - s) * - dot m (B k) a + s * - dot m (B k) b) by (apply mean_at_least; lra). lra.
    + now apply mean_at_least.
Qed.

Lemma gain_is_concave s a b : 0 <= s <= 1 -> (1 - s) * gain a + s * gain b <= gain (mix s a b).
Proof.
  intros Hs. unfold gain. rewrite <- sum_mix. apply sum_at_most. intros i Hi. unfold mix.
  assert (Habs : Rabs ((1 - s) * a i + s * b i) <= (1 - s) * Rabs (a i) + s * Rabs (b i)).
  { eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_right s), (Rabs_right (1 - s)); lra. }
  assert (Hsq : 0 <= r i * (s * (1 - s)) * ((a i - b i) * (a i - b i))).
  { apply Rmult_le_pos; [|apply Rle_0_sqr]. apply Rmult_le_pos; [auto|]. apply Rmult_le_pos; lra. }
  generalize (Rmult_le_compat_l (e i) _ _ (widths i Hi) Habs). nra.
Qed.

(* D falls from its maximum at least as 1/2 ||f_b - f_best||^2. *)
Lemma D_is_strongly_concave best b : optimal best -> feasible b ->
  D b + square (m + n) K (minus b best) / 2 <= D best.
Proof.
  intros [Hbest Hmost] Hb. set (q := square (m + n) K (minus b best)).
  assert (H : forall s, 0 < s < 1 -> (1 - s) * q / 2 <= D best - D b).
  { intros s Hs. assert (Hd := Hmost _ (feasible_mix s best b ltac:(lra) Hbest Hb)).
    assert (Hg := gain_is_concave s best b ltac:(lra)). unfold q.
    unfold D in *. unfold mix at 2 in Hd. rewrite square_of_a_mix in Hd by auto. rewrite square_of_minus by auto.
    rewrite (form_symmetric _ K b best) by auto.
    apply Rmult_le_reg_l with s; [lra|]. lra. }
  destruct (Rle_dec (D b + q / 2) (D best)) as [|Hno]; [auto|exfalso].
  assert (0 <= D best - D b) by (generalize (Hmost b Hb); lra).
  assert (Hq : 0 < q) by lra.
  set (s := (q / 2 - (D best - D b)) / q).
  assert (Hsq : s * q = q / 2 - (D best - D b)) by (unfold s; field; lra).
  assert (Hs : 0 < s < 1) by (split; nra).
  generalize (H s Hs). nra.
Qed.

(* Every (a, w) and every feasible b hold the optimum in a ball:
   ||f_a - f_best||^2 + ||f_b - f_best||^2 <= 2 (P(a, w) - D(b)). *)
Theorem ball_around_the_optimum a w L b best : optimal best -> feasible b -> primal_point a w L ->
  square (m + n) K (minus a best) + square (m + n) K (minus b best) <= 2 * (P a w L - D b).
Proof.
  intros Hbest Hb HL. generalize (weak_duality_with_its_rest a w L best (proj1 Hbest) HL).
  generalize (D_is_strongly_concave best b Hbest Hb). lra.
Qed.

(* The answer's own function is closer:  ||f_b - f_best||^2 <= P(b, w) - D(b). *)
Corollary ball_around_the_answer w L b best : optimal best -> feasible b -> primal_point b w L ->
  square (m + n) K (minus b best) <= P b w L - D b.
Proof. intros Hbest Hb HL. generalize (ball_around_the_optimum b w L b best Hbest Hb HL). lra. Qed.

(* The optimum's decision values at every point x: they are at most [far] away from those of the answer b if
   far^2 >= k(x, x) (P(b, w) - D(b)). *)
Theorem values_of_the_optimum w L b best x far : optimal best -> feasible b -> primal_point b w L -> (x < m + n)%nat ->
  0 <= far -> K x x * (P b w L - D b) <= far * far -> value b x - far <= value best x <= value b x + far.
Proof.
  intros Hbest Hb HL Hx Hfar Henough.
  assert (H : value (minus b best) x * value (minus b best) x <= far * far).
  { apply Rle_trans with (2 := Henough). eapply Rle_trans; [now apply values_are_bounded_by_the_norm|].
    apply Rmult_le_compat_l; [|now apply ball_around_the_answer].
    rewrite <- diagonal_at with (n := (m + n)%nat) by auto. apply K_positive. }
  replace (value (minus b best) x) with (value b x - value best x) in H.
  2: { unfold value, times, dot, minus. rewrite <- sum_minus. apply sum_equal; intros; ring. }
  split; nra.
Qed.

(* Kernel-qps without a solution ---------------------------------------------------------------------------------- *)

(* If  c'w < sum_i M_i,  where  M_i <= s (B'w)_i  for every s within the bounds of i, then there is no feasible b. *)
Theorem no_feasible_point w M : signed w ->
  (forall i s, (i < m)%nat -> within (l i) (u i) s -> M i <= s * offset w i) -> dot p c w < sum m M ->
  forall b, ~ feasible b.
Proof.
  intros Hw HM Hless b [[Hin _] Hbal]. generalize (offsets_at_most w b c Hbal Hw).
  assert (sum m M <= dot m b (offset w)) by (apply sum_at_most; auto). lra.
Qed.

(* A direction d along which b may go without end, with gain  g = t'd - e'|d| > 0  and curvature  C = d'(K + diag r) d,
   bounds the primal from below:  C > 0  and  1/2 ||f||^2 + sum_i L_i >= g^2 / (2 C)  at every primal point. *)
Definition direction d := (forall s, 0 <= s -> in_bounds (fun i => s * d i)) /\ balanced d (fun _ => 0).
Definition gain_along d := dot m t d - sum m (fun i => e i * Rabs (d i)).
Definition curvature d := square (m + n) K d + sum m (fun i => r i * d i * d i).

Theorem direction_bounds_the_primal d a w L : direction d -> 0 < gain_along d -> primal_point a w L ->
  0 < curvature d /\ gain_along d * gain_along d / (2 * curvature d) <= square (m + n) K a / 2 + sum m L.
Proof.
  intros [Hin Hbal] Hg HL. set (g := gain_along d) in *. set (C := curvature d). set (V := _ / 2 + _).
  assert (H : forall s, 0 <= s -> s * g - s * s * C / 2 <= V).
  { intros s Hs. generalize (losses_at_least a w L _ (Hin s Hs) HL).
    assert (Hb : balanced (fun i => s * d i) (fun _ => 0)).
    { intros k Hk. specialize (Hbal k Hk). replace (dot m (B k) (fun i => s * d i)) with (s * dot m (B k) d).
      - destruct (senses k); simpl in *; [rewrite Hbal; ring|nra|nra].
      - unfold dot. rewrite <- sum_scaled. apply sum_equal; intros; ring. }
    generalize (offsets_at_most w _ _ Hb (proj1 HL)) (K_positive (minus a (fun i => s * d i))).
    rewrite square_of_minus, (form_symmetric _ K a) by auto.
    assert (dot p (fun _ => 0) w = 0) as -> by (apply sum_zero; intros; ring).
    assert (square (m + n) K (fun i => s * d i) = s * s * square (m + n) K d) as ->.
    { rewrite (square_equal _ _ _ (fun i => s * d i + 0 * d i)) by (intros; ring).
      rewrite square_of_a_mix by auto; ring. }
    assert (gain (fun i => s * d i) = s * g - s * s * sum m (fun i => r i * d i * d i) / 2) as ->.
    { unfold gain, g, gain_along, dot. rewrite <- sum_minus.
      transitivity (s * sum m (fun i => t i * d i - e i * Rabs (d i)) +
        - (s * s / 2) * sum m (fun i => r i * d i * d i));
        [rewrite <- sum_mix|lra].
      apply sum_equal; intros. rewrite Rabs_mult, (Rabs_right s) by lra. field. }
    unfold V, C, curvature. lra. }
  assert (HC : 0 <= C).
  { apply Rplus_le_le_0_compat; [apply K_positive|]. apply sum_nonnegative; intros i Hi.
    generalize (half_square (r i) (d i) (ridges i Hi)). lra. }
  assert (HC0 : 0 < C).
  { destruct (Req_dec C 0) as [HC0|]; [|lra]. exfalso. assert (0 <= V) by (generalize (H 0); lra).
    assert (Hs : 0 <= (V + 1) / g) by (apply Rmult_le_pos; [lra|]; now apply Rlt_le, Rinv_0_lt_compat).
    generalize (H _ Hs). rewrite HC0. replace ((V + 1) / g * g) with (V + 1) by (field; lra). lra. }
  split; [auto|]. assert (Hs : 0 <= g / C) by (apply Rmult_le_pos; [lra|]; now apply Rlt_le, Rinv_0_lt_compat).
  generalize (H _ Hs). replace (g / C * g - g / C * (g / C) * C / 2) with (g * g / (2 * C)) by (field; lra). auto.
Qed.

(* Where all L_i are 0, as the losses of hard constraints that hold are,  ||f||^2 >= g^2 / C.  If C = 0, then there is
   no primal point. *)
Corollary norm_at_least d a w : direction d -> 0 < gain_along d -> primal_point a w (fun _ => 0) ->
  gain_along d * gain_along d / curvature d <= square (m + n) K a.
Proof.
  intros Hd Hg HL. destruct (direction_bounds_the_primal d a w _ Hd Hg HL) as [HC H].
  rewrite (sum_zero m) in H by auto.
  replace (gain_along d * gain_along d / (2 * curvature d)) with (gain_along d * gain_along d / curvature d / 2) in H
    by (field; lra). lra.
Qed.

Corollary no_primal_point d a w L : direction d -> 0 < gain_along d -> curvature d = 0 -> ~ primal_point a w L.
Proof. intros Hd Hg HC HL. destruct (direction_bounds_the_primal d a w L Hd Hg HL). lra. Qed.

End KernelQP.

(* The optimal intercept ----------------------------------------------------------------------------------------- *)

(* The loss is convex, and -s is a slope of it at v0: if u lies between v0 and v, then  L(u) <= L(v) + (v - u) s. *)
Lemma slope_beyond t e r l h v0 s u v L : attains t e r l h v0 s -> v0 <= u <= v \/ v <= u <= v0 ->
  bounds_loss t e r l h v L -> bounds_loss t e r l h u (L + (v - u) * s).
Proof.
  intros [Hs Hmost] Hside HL x Hx. generalize (Hmost x Hx) (HL x Hx) (HL s Hs). unfold price. intros H0 H1 H2.
  destruct (Rle_dec ((v - u) * (x - s)) 0); [lra|]. assert (0 <= (u - v0) * (x - s)); [|lra].
  destruct Hside; [apply Rmult_le_pos; nra|]. assert (0 <= (v0 - u) * (s - x)); [apply Rmult_le_pos; nra|lra].
Qed.

(* One balance  1'b = total,  whose multiplier w is the intercept, and a function with the values f_i at the samples,
   for which the best intercept is that of the least  total w + sum_i L_i(f_i + w). *)
Section Intercept.
Variables (m : nat) (t e r : nat -> R) (l u : nat -> option R) (f : nat -> R) (total : R).

Definition losses_at w L := forall i, (i < m)%nat -> bounds_loss (t i) (e i) (r i) (l i) (u i) (f i + w) (L i).
Definition attained_at (v s : nat -> R) :=
  forall i, (i < m)%nat -> attains (t i) (e i) (r i) (l i) (u i) (v i) (s i).
Definition best_intercept best :=
  exists L, losses_at best L /\ forall w M, losses_at w M -> total * best + sum m L <= total * w + sum m M.

Lemma slope_of_the_cost best w v s : best_intercept best -> attained_at v s ->
  (forall i, (i < m)%nat -> v i <= f i + w <= f i + best \/ f i + best <= f i + w <= v i) ->
  (best - w) * (total - sum m s) <= 0.
Proof.
  intros [L [HL Hleast]] Hs Hside.
  assert (H : losses_at w (fun i => L i + (best - w) * s i)).
  { intros i Hi. replace (best - w) with (f i + best - (f i + w)) by ring. apply slope_beyond with (v i); auto. }
  generalize (Hleast w _ H). rewrite sum_plus, sum_scaled. lra.
Qed.

(* s_i attains the loss at a lower bound v_i of  f_i + w.  If  sum_i s_i < total,  then the cost increases beyond w, and
   the best intercept is at most w. With upper bounds v_i and  total < sum_i s_i,  it is at least w. *)
Theorem intercept_is_at_most w best v s : best_intercept best -> attained_at v s ->
  (forall i, (i < m)%nat -> v i <= f i + w) -> sum m s < total -> best <= w.
Proof.
  intros Hbest Hs Hside Hless. destruct (Rle_dec best w); [auto|]. exfalso.
  assert (H : (best - w) * (total - sum m s) <= 0); [|nra].
  apply slope_of_the_cost with v; auto. intros i Hi. generalize (Hside i Hi). lra.
Qed.

Theorem intercept_is_at_least w best v s : best_intercept best -> attained_at v s ->
  (forall i, (i < m)%nat -> f i + w <= v i) -> total < sum m s -> w <= best.
Proof.
  intros Hbest Hs Hside Hless. destruct (Rle_dec w best); [auto|]. exfalso.
  assert (H : (best - w) * (total - sum m s) <= 0); [|nra].
  apply slope_of_the_cost with v; auto. intros i Hi. generalize (Hside i Hi). lra.
Qed.

(* The same holds if the loss of one sample is infinite at v_i because the price increases without end: as s falls, for
   a lower bound v_i, and as s grows, for an upper one. *)
Theorem intercept_is_at_most_an_infinite_loss w best v i : best_intercept best -> (i < m)%nat -> v <= f i + w ->
  l i = None -> within (l i) (u i) 0 -> r i = 0 -> t i - v + e i < 0 -> best <= w.
Proof.
  intros [L [HL _]] Hi Hv Hl H0 Hr Hslope. destruct (Rle_dec best w) as [|Hno]; [auto|]. exfalso.
  specialize (HL i Hi). rewrite Hl, Hr in *. apply (loss_is_infinite_below _ _ _ _ _ H0) in HL; auto; lra.
Qed.

Theorem intercept_is_at_least_an_infinite_loss w best v i : best_intercept best -> (i < m)%nat -> f i + w <= v ->
  u i = None -> within (l i) (u i) 0 -> r i = 0 -> 0 < t i - v - e i -> w <= best.
Proof.
  intros [L [HL _]] Hi Hv Hu H0 Hr Hslope. destruct (Rle_dec w best) as [|Hno]; [auto|]. exfalso.
  specialize (HL i Hi). rewrite Hu, Hr in *. apply (loss_is_infinite_above _ _ _ _ _ H0) in HL; auto; lra.
Qed.

End Intercept.
