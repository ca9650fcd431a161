/** The rim of a square of samples: positions on it, and shares of its intervals. */

/** Index of the sample `step` intervals around the square from its first corner. */
export function sampleOnSide(step: number, size: number): number {
  const last = size - 1;
  const along = step % last;
  switch (Math.floor(step / last) % 4) {
    case 0:
      return along;
    case 1:
      return along * size + last;
    case 2:
      return last * size + last - along;
    default:
      return (last - along) * size;
  }
}

/**
 * Shares out `total` whole intervals in proportion to lengths, at least one to each. Sides get
 * their full shares first; the rest goes where most is lacking.
 */
export function allotIntervals(lengths: readonly number[], total: number): Int32Array {
  const sum = lengths.reduce((a, b) => a + b, 0);
  const due = lengths.map((length) => (sum > 0 ? (total * length) / sum : total / lengths.length));
  const share = Int32Array.from(due, (d) => Math.max(1, Math.floor(d)));
  let left = total - share.reduce((a, b) => a + b, 0);
  for (; left !== 0; left -= Math.sign(left)) {
    let choice = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < share.length; i++) {
      if (left < 0 && share[i] === 1) continue;
      const lacks = left > 0 ? due[i] - share[i] : share[i] - due[i];
      if (lacks > most) [choice, most] = [i, lacks];
    }
    share[choice] += Math.sign(left);
  }
  return share;
}
