// What is printed in Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism",
// section V: Tables III to X, and what is said of Figure 1. Times are milliseconds "divided by the
// respective GPU clock frequency".

/** Tables III and VII: processors, and T(N) = a N^2 + b N + c. */
export const PROCESSORS = /** @type {const} */ ({
  'Tesla C2075': { Q: 448, megahertz: 1147, a: 3.887136e-6, b: 0.002715, c: 0.211335 },
  'Tesla K20m': { Q: 2496, megahertz: 706, a: 3.06991e-6, b: 0.002634, c: 0.070202 },
  'Kepler GK20A': { Q: 192, megahertz: 852, a: 2.71559e-5, b: 0.010828, c: -2.138942 },
});

/** @typedef {keyof typeof PROCESSORS} Processor */

/** Step of the number of models between rows. Every table begins with one step. */
const steps = (/** @type {number} */ step, /** @type {number[]} */ times) =>
  times.map((time, i) => /** @type {[number, number]} */ ([step * (i + 1), time]));

/** Tables IV, V and VI: N and T. */
export const TIMES = /** @type {Record<Processor, [number, number][]>} */ ({
  'Tesla C2075': steps(
    448,
    [
      2.115142, 5.737569, 11.052878, 17.526462, 26.03973, 35.292662, 47.203162, 59.519289, 74.368611, 90.558515,
      107.930014, 127.18043,
    ],
  ),
  'Tesla K20m': steps(
    312,
    [
      1.163411, 2.846401, 5.174316, 8.1108, 11.691257, 15.882692, 20.590834, 25.807761, 31.716484, 38.157489, 45.284932,
      52.853101, 61.248362, 70.05549, 79.540202, 89.618648, 100.404845, 111.82558, 123.614233,
    ],
  ),
  'Kepler GK20A': steps(
    192,
    [
      2.675388, 6.337382, 12.864418, 23.818332, 36.066012, 41.133188, 56.061404, 72.166813, 89.868976, 109.851498,
      158.259225, 215.330858, 183.237438, 211.913586, 242.92061, 275.532809, 312.487933, 377.754658,
    ],
  ),
});

/** Tables VIII, IX and X: N at T = 10, 20, ..., 200 ms. */
export const MODELS = /** @type {Record<Processor, number[]>} */ ({
  'Tesla C2075': [
    1276, 1934, 2441, 2869, 3247, 3588, 3902, 4195, 4470, 4729, 4977, 5213, 5440, 5658, 5868, 6072, 6269, 6461, 6647,
    6828,
  ],
  'Tesla K20m': [
    1420, 2155, 2723, 3203, 3627, 4010, 4363, 4692, 5000, 5293, 5570, 5836, 6091, 6336, 6573, 6802, 7023, 7239, 7448,
    7652,
  ],
  'Kepler GK20A': [
    498, 725, 907, 1062, 1201, 1326, 1443, 1551, 1653, 1750, 1842, 1931, 2016, 2097, 2176, 2252, 2326, 2398, 2468, 2536,
  ],
});

/** Section V.B, of Figure 1: Q more for N more, on its leftmost polyline and on its rightmost. */
export const SLOPES = { left: { Q: 2300, N: 1000 }, right: { Q: 2300, N: 5000 } };
