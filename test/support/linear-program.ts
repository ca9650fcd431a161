/**
 * Linear programs in whole numbers, with a proof of every answer: minimise c x for A x = b, x >= 0.
 *
 * The simplex method in two phases with Bland's rule (R. G. Bland, "New Finite Pivoting Rules for the Simplex Method", 1977) and
 * whole-number pivots (J. Edmonds, 1967; E. Bareiss, 1968), as in oracle.ts. What it ends with is checked by duality before it is
 * believed: y with c - y A >= 0 and y b = c x, or, where there is no x, y A <= 0 and y b > 0.
 */

export interface LinearProgram {
  /** A row for each equation. */
  a: bigint[][];
  /** Each 0 or more. */
  b: bigint[];
  c: bigint[];
}

/** numerator / denominator, which is above 0. */
export interface Ratio {
  numerator: bigint;
  denominator: bigint;
}

/** The least c x, or null where no x is allowed. There must be a least. */
export function leastOf(program: LinearProgram): Ratio | null {
  const { a, b, c } = program;
  const n = c.length;
  const m = b.length;
  const rows = a.map((row, i) => [...row, ...b.map((_, k) => (k === i ? 1n : 0n)), b[i]]);
  const state = { rows, basis: b.map((_, i) => n + i), over: 1n };
  // Phase one: the sum of the artificial variables.
  let cost = Array.from({ length: n + m + 1 }, (_, j) =>
    j >= n && j < n + m ? 0n : -rows.reduce((sum, row) => sum + row[j], 0n),
  );
  minimise(state, cost, n);
  if (cost[n + m] < 0n) {
    const y = b.map((_, k) => state.over - cost[n + k]);
    const proved = c.every((_, j) => sumOf(y, (k) => a[k][j]) <= 0n) && sumOf(y, (k) => b[k]) > 0n;
    if (!proved) throw new Error('linear program: no proof that there is no solution');
    return null;
  }
  driveOut(state, cost, n);
  // Phase two: c, less what the basis costs.
  cost = Array.from({ length: n + m + 1 }, (_, j) => {
    const own = j < n ? c[j] * state.over : 0n;
    return own - state.rows.reduce((sum, row, i) => sum + (state.basis[i] < n ? c[state.basis[i]] * row[j] : 0n), 0n);
  });
  minimise(state, cost, n);
  return proved(program, state, cost);
}

interface State {
  rows: bigint[][];
  basis: number[];
  /** The common denominator of the rows. */
  over: bigint;
}

const sumOf = (y: bigint[], of: (k: number) => bigint): bigint => y.reduce((sum, x, k) => sum + x * of(k), 0n);

function minimise(state: State, cost: bigint[], columns: number): void {
  for (;;) {
    const entering = cost.findIndex((x, j) => j < columns && x < 0n);
    if (entering < 0) return;
    let leaving = -1;
    for (let i = 0; i < state.rows.length; i++) {
      const pivot = state.rows[i][entering];
      if (pivot <= 0n) continue;
      const last = state.rows[i].length - 1;
      const step =
        leaving < 0 ? -1n : state.rows[i][last] * state.rows[leaving][entering] - state.rows[leaving][last] * pivot;
      if (step < 0n || (step === 0n && state.basis[i] < state.basis[leaving])) leaving = i;
    }
    if (leaving < 0) throw new Error('linear program: there is no least');
    pivotOn(state, cost, leaving, entering);
  }
}

function pivotOn(state: State, cost: bigint[], leaving: number, entering: number): void {
  const source = state.rows[leaving];
  const pivot = source[entering];
  for (const row of [...state.rows, cost]) {
    if (row === source) continue;
    const factor = row[entering];
    for (let j = 0; j < row.length; j++) row[j] = (row[j] * pivot - factor * source[j]) / state.over;
  }
  state.over = pivot;
  state.basis[leaving] = entering;
}

/** Artificial variables leave the basis, where they are 0; an equation that follows from the others goes. */
function driveOut(state: State, cost: bigint[], n: number): void {
  for (let i = state.rows.length - 1; i >= 0; i--) {
    if (state.basis[i] < n) continue;
    const column = state.rows[i].findIndex((x, j) => j < n && x !== 0n);
    if (column < 0) {
      state.rows.splice(i, 1);
      state.basis.splice(i, 1);
      continue;
    }
    if (state.rows[i][column] < 0n) state.rows[i] = state.rows[i].map((x) => -x);
    pivotOn(state, cost, i, column);
  }
}

function proved({ a, b, c }: LinearProgram, { rows, basis, over }: State, cost: bigint[]): Ratio {
  const n = c.length;
  const x = c.map(() => 0n);
  basis.forEach((column, i) => {
    if (column < n) x[column] = rows[i][rows[i].length - 1];
  });
  const numerator = sumOf(x, (j) => c[j]);
  const y = b.map((_, k) => -cost[n + k]);
  const holds =
    over > 0n &&
    x.every((value) => value >= 0n) &&
    a.every((row, i) => sumOf(x, (j) => row[j]) === b[i] * over) &&
    c.every((price, j) => price * over >= sumOf(y, (k) => a[k][j])) &&
    sumOf(y, (k) => b[k]) === numerator;
  if (!holds) throw new Error('linear program: no proof of the least');
  return { numerator, denominator: over };
}
