// Packs text in less than gzip needs, for scripts/bundle-viewer.mjs: LZMA (Igor Pavlov, 1998; the
// raw stream of version 1, lc 4, lp 0, pb 0, no end mark). src/viewer/page/unpack.ts reads it.
// Compressed bytes of the page's two scripts: gzip 383,400, brotli 322,100, xz 317,700, this
// 324,000. Mixed contexts of orders 1 to 6 gave 2 % less, and took 30 times as long to read.
//
// At the start of a piece, the parser knows the cheapest way to get there, with its last four
// distances and its state. Prices come from how often each bit was 0 in the pass before, in
// integers, so that the same text gives the same bytes anywhere.

const LITERAL_BITS = 4;
const STATES = 12;
/** Positions of probabilities; those of literals come last. */
const AT = (() => {
  const sizes = /** @type {const} */ ([
    ...[
      ['isMatch', STATES],
      ['isRep', STATES],
      ['isRep0', STATES],
      ['isRep1', STATES],
      ['isRep2', STATES],
    ],
    ...[
      ['isLong', STATES],
      ['slots', 4 * 64],
      ['special', 128],
      ['align', 16],
      ['length', 274],
      ['repLength', 274],
    ],
    ['literals', 0x300 << LITERAL_BITS],
  ]);
  /** @type {Record<string, number>} */
  const at = { end: 0 };
  for (const [name, size] of sizes) {
    at[name] = at.end;
    at.end += /** @type {number} */ (size);
  }
  return at;
})();

const LONGEST = 273;
const PRICE_SHIFT = 4;
/** Prices of a bit in sixteenths, by an eighth of 2,048 times its probability. */
const PRICES = Uint16Array.from({ length: 256 }, (_, i) => {
  let [square, bits] = [8 * i + 4, 0];
  for (let step = 0; step < PRICE_SHIFT; step++) {
    square *= square;
    bits *= 2;
    while (square >= 65_536) {
      square = Math.floor(square / 2);
      bits++;
    }
  }
  return (11 << PRICE_SHIFT) - 15 - bits;
});

/** Equal runs before each place: pairs of a length and its least distance, ever longer. */
class Runs {
  static MOST_LOOKS = 96;
  static LONG = 96;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.start = new Uint32Array(bytes.length + 1);
    /** @type {number[]} */
    this.pairs = [];
    const head = new Int32Array(1 << 16).fill(-1);
    const before = new Int32Array(bytes.length).fill(-1);
    const twos = new Int32Array(1 << 16).fill(-1);
    for (let at = 0; at < bytes.length; at++) {
      this.start[at] = this.pairs.length;
      if (at + 2 >= bytes.length) continue;
      const two = bytes[at] | (bytes[at + 1] << 8);
      if (twos[two] >= 0) this.pairs.push(2, at - twos[two]);
      twos[two] = at;
      const key = (Math.imul(two | (bytes[at + 2] << 16), 0x9e3779b1) >>> 16) & 0xffff;
      this.look(at, head[key], before);
      before[at] = head[key];
      head[key] = at;
    }
    this.start[bytes.length] = this.pairs.length;
  }

  /** @param {number} at @param {number} first @param {Int32Array} before */
  look(at, first, before) {
    let longest = 2;
    for (let there = first, looks = 0; there >= 0 && looks < Runs.MOST_LOOKS; there = before[there], looks++) {
      const length = this.common(at, at - there);
      if (length <= longest) continue;
      longest = length;
      this.pairs.push(length, at - there);
      if (length >= Runs.LONG) return;
    }
  }

  /** Equal bytes here and `distance` before. @param {number} at @param {number} distance */
  common(at, distance) {
    const { bytes } = this;
    const end = Math.min(bytes.length, at + LONGEST);
    let to = at;
    while (to < end && bytes[to] === bytes[to - distance]) to++;
    return to - at;
  }
}

/** @param {number} state */
const afterLiteral = (state) => (state < 4 ? 0 : state < 10 ? state - 3 : state - 6);
/** @param {number} state */
const afterMatch = (state) => (state < 7 ? 7 : 10);
/** @param {number} state */
const afterRep = (state) => (state < 7 ? 8 : 11);
/** @param {number} state */
const afterShort = (state) => (state < 7 ? 9 : 11);

/** The slot of a distance less 1, which tells its highest bits. @param {number} distance */
function slotOf(distance) {
  if (distance < 4) return distance;
  const high = 31 - Math.clz32(distance);
  return 2 * high + ((distance >>> (high - 1)) & 1);
}

/** The bits to code, each with the number of its probability. `direct` has even odds. */
class Words {
  /**
   * @param {(probability: number, bit: number) => void} bit
   * @param {(value: number, count: number) => void} direct
   */
  constructor(bit, direct) {
    this.bit = bit;
    this.direct = direct;
  }

  /** @param {number} base @param {number} count @param {number} value */
  tree(base, count, value) {
    for (let node = 1, k = count - 1; k >= 0; k--) {
      const bit = (value >>> k) & 1;
      this.bit(base + node, bit);
      node = 2 * node + bit;
    }
  }

  /** @param {number} base @param {number} count @param {number} value lowest bit first */
  reverse(base, count, value) {
    for (let node = 1, k = 0; k < count; k++) {
      const bit = (value >>> k) & 1;
      this.bit(base + node, bit);
      node = 2 * node + bit;
    }
  }

  /**
   * @param {number} byte
   * @param {number} before
   * @param {number} matched the byte at the last distance; -1: none
   */
  literal(byte, before, matched) {
    const base = AT.literals + 0x300 * (before >> (8 - LITERAL_BITS));
    let node = 1;
    for (let k = 7, same = matched >= 0; k >= 0; k--) {
      const bit = (byte >> k) & 1;
      const other = (matched >> k) & 1;
      this.bit(base + (same ? 0x100 * (1 + other) : 0) + node, bit);
      same &&= bit === other;
      node = 2 * node + bit;
    }
  }

  /** @param {number} base @param {number} length */
  length(base, length) {
    const rest = length - 2;
    this.bit(base, rest < 8 ? 0 : 1);
    if (rest < 8) return this.tree(base + 2, 3, rest);
    this.bit(base + 1, rest < 16 ? 0 : 1);
    if (rest < 16) return this.tree(base + 10, 3, rest - 8);
    return this.tree(base + 18, 8, rest - 16);
  }

  /** @param {number} distance less 1 @param {number} length */
  distance(distance, length) {
    const slot = slotOf(distance);
    this.tree(AT.slots + 64 * Math.min(length - 2, 3), 6, slot);
    if (slot < 4) return;
    const count = (slot >> 1) - 1;
    const base = ((2 | (slot & 1)) << count) >>> 0;
    if (slot < 14) return this.reverse(AT.special + base - slot, count, distance - base);
    this.direct((distance - base) >>> 4, count - 4);
    this.reverse(AT.align, 4, (distance - base) & 15);
  }

  /** @param {number} state @param {number} k */
  rep(state, k) {
    this.bit(AT.isMatch + state, 1);
    this.bit(AT.isRep + state, 1);
    this.bit(AT.isRep0 + state, k === 0 ? 0 : 1);
    if (k === 0) return;
    this.bit(AT.isRep1 + state, k === 1 ? 0 : 1);
    if (k > 1) this.bit(AT.isRep2 + state, k === 2 ? 0 : 1);
  }
}

const LITERAL = -1;
const SHORT = -2;
/** Below it: the number of a last distance. From it: that much more than a distance less 1. */
const DISTANCE = 4;

/** The cost of each piece, by the frequency of 0 bits in the previous pass. */
class Prices {
  /** @param {Uint32Array} counts of zeros and of ones, by probability */
  constructor(counts) {
    this.of = new Uint16Array(2 * AT.end);
    for (let i = 0; i < AT.end; i++) {
      const [zeros, ones] = [2 * counts[2 * i] + 1, 2 * counts[2 * i + 1] + 1];
      this.of[2 * i] = PRICES[Math.floor((255 * zeros) / (zeros + ones))];
      this.of[2 * i + 1] = PRICES[Math.floor((255 * ones) / (zeros + ones))];
    }
    this.sum = 0;
    this.words = new Words(
      (probability, bit) => {
        this.sum += this.of[2 * probability + bit];
      },
      (_, count) => {
        this.sum += count << PRICE_SHIFT;
      },
    );
    const table = (/** @type {number} */ count, /** @type {(i: number) => void} */ say) =>
      Uint32Array.from({ length: count }, (_, i) => this.price(() => say(i)));
    this.matchLength = table(LONGEST + 1, (i) => i > 1 && this.words.length(AT.length, i));
    this.repLength = table(LONGEST + 1, (i) => i > 1 && this.words.length(AT.repLength, i));
    this.near = table(4 * 128, (i) => this.words.distance(i & 127, 2 + (i >> 7)));
    this.slots = table(4 * 64, (i) => this.words.tree(AT.slots + (i & ~63), 6, i & 63));
    this.low = table(16, (i) => this.words.reverse(AT.align, 4, i));
    this.reps = table(STATES * 4, (i) => this.words.rep(i >> 2, i & 3));
  }

  /** @param {() => void} say */
  price(say) {
    this.sum = 0;
    say();
    return this.sum;
  }

  /** @param {number} distance less 1 @param {number} length */
  distance(distance, length) {
    const row = Math.min(length - 2, 3);
    if (distance < 128) return this.near[128 * row + distance];
    const slot = slotOf(distance);
    return this.slots[64 * row + slot] + (((slot >> 1) - 5) << PRICE_SHIFT) + this.low[distance & 15];
  }
}

/**
 * The cheapest pieces: what each is, and where it begins, from the last to the first.
 *
 * @param {Uint8Array} bytes @param {Runs} runs @param {Prices} prices
 */
function parse(bytes, runs, prices) {
  const count = bytes.length;
  const costs = new Float64Array(count + 1).fill(Infinity);
  const [from, what] = [new Int32Array(count + 1), new Int32Array(count + 1)];
  const states = new Uint8Array(count + 1);
  const lasts = new Int32Array(4 * (count + 1)).fill(1);
  costs[0] = 0;
  const { of, words } = prices;
  for (let at = 0; at < count; at++) {
    if (at > 0) arrive(at, { from, what, states, lasts });
    const state = states[at];
    const reach = (/** @type {number} */ to, /** @type {number} */ cost, /** @type {number} */ piece) => {
      if (cost >= costs[to]) return;
      costs[to] = cost;
      from[to] = at;
      what[to] = piece;
    };
    const cost = costs[at];
    const matched = at > 0 ? bytes[at - lasts[4 * at]] : 0;
    const plain = () => words.literal(bytes[at], at > 0 ? bytes[at - 1] : 0, state < 7 ? -1 : matched);
    reach(at + 1, cost + of[2 * (AT.isMatch + state)] + prices.price(plain), LITERAL);
    if (at === 0) continue;
    const asRep =
      cost + of[2 * (AT.isMatch + state) + 1] + of[2 * (AT.isRep + state) + 1] + of[2 * (AT.isRep0 + state)];
    if (matched === bytes[at]) reach(at + 1, asRep + of[2 * (AT.isLong + state)], SHORT);
    for (let k = 0; k < 4; k++) {
      const most = at >= lasts[4 * at + k] ? runs.common(at, lasts[4 * at + k]) : 0;
      const head = cost + prices.reps[4 * state + k] + (k === 0 ? of[2 * (AT.isLong + state) + 1] : 0);
      for (let length = 2; length <= most; length++) reach(at + length, head + prices.repLength[length], k);
    }
    const head = cost + of[2 * (AT.isMatch + state) + 1] + of[2 * (AT.isRep + state)];
    for (let i = runs.start[at], length = 2; i < runs.start[at + 1]; i += 2) {
      const distance = runs.pairs[i + 1] - 1;
      for (; length <= runs.pairs[i]; length++) {
        const price = head + prices.matchLength[length] + prices.distance(distance, length);
        reach(at + length, price, DISTANCE + distance);
      }
    }
  }
  return { from, what };
}

/**
 * The state and the last distances behind the cheapest piece that ends here.
 *
 * @param {number} at
 * @param {{ from: Int32Array, what: Int32Array, states: Uint8Array, lasts: Int32Array }} found
 */
function arrive(at, { from, what, states, lasts }) {
  const [start, piece] = [from[at], what[at]];
  const before = states[start];
  states[at] =
    piece === LITERAL
      ? afterLiteral(before)
      : piece === SHORT
        ? afterShort(before)
        : piece < DISTANCE
          ? afterRep(before)
          : afterMatch(before);
  lasts.copyWithin(4 * at, 4 * start, 4 * start + 4);
  if (piece < 0 || piece === 0) return;
  const distance = piece < DISTANCE ? lasts[4 * at + piece] : piece - DISTANCE + 1;
  lasts.copyWithin(4 * at + 1, 4 * at, 4 * at + Math.min(piece, 3));
  lasts[4 * at] = distance;
}

/** Arithmetic coding of bits, whose probabilities follow what came before. */
class Writer {
  constructor() {
    this.odds = new Uint16Array(AT.end).fill(1024);
    this.counts = new Uint32Array(2 * AT.end);
    /** @type {number[]} */
    this.bytes = [];
    this.low = 0;
    this.range = 0xffffffff;
    this.held = 0;
    this.following = 0;
  }

  /** @param {number} probability @param {number} bit */
  bit(probability, bit) {
    this.counts[2 * probability + bit]++;
    const odds = this.odds[probability];
    const bound = (this.range >>> 11) * odds;
    if (bit === 0) {
      this.range = bound;
      this.odds[probability] += (2048 - odds) >> 5;
    } else {
      this.low += bound;
      this.range -= bound;
      this.odds[probability] -= odds >> 5;
    }
    this.settle();
  }

  /** @param {number} value @param {number} count */
  direct(value, count) {
    for (let k = count - 1; k >= 0; k--) {
      this.range >>>= 1;
      if ((value >>> k) & 1) this.low += this.range;
      this.settle();
    }
  }

  settle() {
    while (this.range < 0x1000000) {
      this.range = (this.range << 8) >>> 0;
      this.shift();
    }
  }

  /** The highest byte is written when no carry can reach it any more. */
  shift() {
    if (this.low < 0xff000000 || this.low >= 2 ** 32) {
      const carry = this.low >= 2 ** 32 ? 1 : 0;
      this.bytes.push((this.held + carry) & 255);
      for (; this.following > 0; this.following--) this.bytes.push((255 + carry) & 255);
      this.held = Math.floor(this.low / 0x1000000) & 255;
    } else this.following++;
    this.low = (this.low % 0x1000000) * 256;
  }

  end() {
    for (let i = 0; i < 5; i++) this.shift();
    return Uint8Array.from(this.bytes);
  }
}

/** @param {Uint8Array} bytes @param {ReturnType<typeof parse>} pieces */
function write(bytes, { from, what }) {
  const ends = [];
  for (let at = bytes.length; at > 0; at = from[at]) ends.push(at);
  const writer = new Writer();
  const words = new Words(
    (probability, bit) => writer.bit(probability, bit),
    (value, count) => writer.direct(value, count),
  );
  const found = {
    from,
    what,
    states: new Uint8Array(bytes.length + 1),
    lasts: new Int32Array(4 * bytes.length + 4).fill(1),
  };
  for (const end of ends.reverse()) {
    const [at, piece] = [from[end], what[end]];
    const state = found.states[at];
    if (piece === LITERAL) {
      writer.bit(AT.isMatch + state, 0);
      words.literal(bytes[at], at > 0 ? bytes[at - 1] : 0, state < 7 ? -1 : bytes[at - found.lasts[4 * at]]);
    } else if (piece < DISTANCE) {
      words.rep(state, Math.max(piece, 0));
      if (piece <= 0) writer.bit(AT.isLong + state, piece === SHORT ? 0 : 1);
      if (piece !== SHORT) words.length(AT.repLength, end - at);
    } else {
      writer.bit(AT.isMatch + state, 1);
      writer.bit(AT.isRep + state, 0);
      words.length(AT.length, end - at);
      words.distance(piece - DISTANCE, end - at);
    }
    arrive(end, found);
  }
  return { packed: writer.end(), counts: writer.counts };
}

const PASSES = 3;

/** @param {Uint8Array} bytes @returns {Uint8Array} the same for the same bytes */
export function pack(bytes) {
  const runs = new Runs(bytes);
  /** @type {Uint32Array} */
  let counts = new Uint32Array(2 * AT.end);
  /** @type {Uint8Array | undefined} */
  let least;
  for (let pass = 0; pass < PASSES; pass++) {
    const written = write(bytes, parse(bytes, runs, new Prices(counts)));
    counts = written.counts;
    if (!least || written.packed.length < least.length) least = written.packed;
  }
  return /** @type {Uint8Array} */ (least);
}
