
// Doubles in integers, for shaders with a line `include doubles.wgsl`, since WGSL has no doubles.
// Sums, products and roots are those of IEEE 754 to the bit, rounded to nearest, ties to even. So
// they equal a processor's in the same order of operations. J.-M. Muller and others, "Handbook of
// Floating-Point Arithmetic", 2010, chapter 8.
//
// Precondition: operands and results are 0 or have sizes from 2^-1022 to below 2^1024. There are no
// smaller numbers here, no infinities and no NaN. The sign of a 0 is lost.
//
// Letters: a mantissa has 53 bits. (h, l) holds 64, the first in bit 31 of h; 11 remain for
// rounding.

alias Double = vec2<u32>; // the low word, then the high one

alias Vector = array<Double, 3>;

const ZERO = Double(0u, 0u);
const SIGN = 0x80000000u;
const BIAS = 1023u;

fn isZero(a: Double) -> bool {
  return (a.x | (a.y & 0x7fffffffu)) == 0u;
}

fn negated(a: Double) -> Double {
  return Double(a.x, a.y ^ SIGN);
}

fn sizeOf(a: Double) -> Double {
  return Double(a.x, a.y & 0x7fffffffu);
}

fn isNegative(a: Double) -> bool {
  return (a.y & SIGN) != 0u && !isZero(a);
}

fn isSmaller(a: Double, b: Double) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn isLess(a: Double, b: Double) -> bool {
  let isBelow = isNegative(a);
  if (isBelow != isNegative(b)) { return isBelow; }
  if (isBelow) { return isSmaller(sizeOf(b), sizeOf(a)); }
  return isSmaller(sizeOf(a), sizeOf(b));
}

fn exponentOf(a: Double) -> u32 {
  return (a.y >> 20u) & 0x7ffu;
}

fn upperOf(a: Double) -> u32 {
  return (a.y & 0xfffffu) | 0x100000u;
}

// Returns the double nearest to (h, l), whose first bit is worth 2^(exponent - BIAS). `rest` is not
// 0 if more bits follow.
fn rounded(sign: u32, exponent: u32, h: u32, l: u32, rest: u32) -> Double {
  let cut = l & 0x7ffu;
  let low = (h << 21u) | (l >> 11u);
  let isUp = cut > 0x400u || (cut == 0x400u && (rest != 0u || (low & 1u) != 0u));
  // The mantissa's first bit is the exponent's last, so a carry out of all bits raises the
  // exponent.
  let high = ((exponent - 1u) << 20u) + (h >> 11u) + u32(isUp && low == 0xffffffffu);
  return Double(low + u32(isUp), sign | high);
}

fn longProduct(a: u32, b: u32) -> vec2<u32> {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let left = (a & 0xffffu) * (b >> 16u);
  let right = (a >> 16u) * (b & 0xffffu);
  let middle = (low >> 16u) + (left & 0xffffu) + (right & 0xffffu);
  let high = (a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u) + (middle >> 16u);
  return vec2((low & 0xffffu) | (middle << 16u), high);
}

fn times(a: Double, b: Double) -> Double {
  if (isZero(a) || isZero(b)) { return ZERO; }
  let ha = (upperOf(a) << 11u) | (a.x >> 21u);
  let hb = (upperOf(b) << 11u) | (b.x >> 21u);
  let la = a.x << 11u;
  let lb = b.x << 11u;
  let low = longProduct(la, lb);
  let left = longProduct(la, hb);
  let right = longProduct(ha, lb);
  let high = longProduct(ha, hb);
  // Four words of a sum, the lowest first. A sum smaller than a term shows a carry.
  let one = low.y + left.x;
  let rest = one + right.x;
  let two = left.y + right.y;
  let three = two + high.x;
  var l = three + u32(one < low.y) + u32(rest < one);
  var h = high.y + u32(two < left.y) + u32(three < two) + u32(l < three);
  var r = rest;
  var exponent = exponentOf(a) + exponentOf(b) - BIAS + 1u;
  if ((h & SIGN) == 0u) {
    h = (h << 1u) | (l >> 31u);
    l = (l << 1u) | (r >> 31u);
    r = r << 1u;
    exponent--;
  }
  return rounded((a.y ^ b.y) & SIGN, exponent, h, l, r | low.x);
}

// Returns (h, l) over 2^by, with the last bit set if bits were lost.
fn shifted(h: u32, l: u32, by: u32) -> vec2<u32> {
  if (by == 0u) { return vec2(l, h); }
  if (by < 32u) { return vec2((l >> by) | (h << (32u - by)) | u32((l << (32u - by)) != 0u), h >> by); }
  if (by == 32u) { return vec2(h | u32(l != 0u), 0u); }
  if (by < 64u) { return vec2((h >> (by - 32u)) | u32((l | (h << (64u - by))) != 0u), 0u); }
  return vec2(1u, 0u);
}

fn plus(a: Double, b: Double) -> Double {
  if (isZero(b)) { return a; }
  if (isZero(a)) { return b; }
  let doSwap = isSmaller(sizeOf(a), sizeOf(b));
  let p = select(a, b, doSwap);
  let q = select(b, a, doSwap);
  // One bit before the first, for a carry, and ten after the last. If more bits are lost, the sum
  // has lost at most one of its first bits.
  let hp = (upperOf(p) << 10u) | (p.x >> 22u);
  let lp = p.x << 10u;
  let other = shifted((upperOf(q) << 10u) | (q.x >> 22u), q.x << 10u, exponentOf(p) - exponentOf(q));
  var h: u32;
  var l: u32;
  if (((p.y ^ q.y) & SIGN) == 0u) {
    l = lp + other.x;
    h = hp + other.y + u32(l < lp);
  } else {
    l = lp - other.x;
    h = hp - other.y - u32(lp < other.x);
    if ((h | l) == 0u) { return ZERO; }
  }
  let zeros = select(countLeadingZeros(h), 32u + countLeadingZeros(l), h == 0u);
  if (zeros >= 32u) {
    h = l << (zeros - 32u);
    l = 0u;
  } else if (zeros > 0u) {
    h = (h << zeros) | (l >> (32u - zeros));
    l = l << zeros;
  }
  return rounded(p.y & SIGN, exponentOf(p) + 1u - zeros, h, l, 0u);
}

// Bit by bit; `a` must not be negative.
fn root(a: Double) -> Double {
  if (isZero(a)) { return ZERO; }
  var h = upperOf(a);
  var l = a.x;
  if ((exponentOf(a) & 1u) == 0u) {
    h = (h << 1u) | (l >> 31u);
    l = l << 1u;
  }
  // Two bits of the mantissa at a time, from bits 52 and 53 on, then zeros.
  h = (h << 10u) | (l >> 22u);
  l = l << 10u;
  var found = vec2(0u, 0u);
  var left = vec2(0u, 0u);
  for (var n = 0u; n < 54u; n++) {
    left = vec2((left.x << 2u) | (h >> 30u), (left.y << 2u) | (left.x >> 30u));
    h = (h << 2u) | (l >> 30u);
    l = l << 2u;
    let trial = vec2((found.x << 2u) | 1u, (found.y << 2u) | (found.x >> 30u));
    found = vec2(found.x << 1u, (found.y << 1u) | (found.x >> 31u));
    if (!isSmaller(left, trial)) {
      left = vec2(left.x - trial.x, left.y - trial.y - u32(left.x < trial.x));
      found.x |= 1u;
    }
  }
  let exponent = (exponentOf(a) + BIAS) >> 1u;
  return rounded(0u, exponent, (found.y << 10u) | (found.x >> 22u), found.x << 10u, left.x | left.y);
}

// Adds three products to `first`, in order; 0 changes nothing. Loops are used where possible:
// compilers inline these long bodies at each call.
fn sumOf(first: Double, a: Vector, b: Vector) -> Double {
  var sum = first;
  for (var k = 0u; k < 3u; k++) { sum = plus(sum, times(a[k], b[k])); }
  return sum;
}

fn dotOf(a: Vector, b: Vector) -> Double {
  return sumOf(ZERO, a, b);
}

// Returns floor(a 2^power), cut to 2^30 on both sides.
fn floorOf(a: Double, power: i32) -> i32 {
  if (isZero(a)) { return 0; }
  let isBelow = (a.y & SIGN) != 0u;
  let exponent = i32(exponentOf(a)) - i32(BIAS) + power;
  if (exponent >= 30) { return select(0x40000000, -0x40000000, isBelow); }
  if (exponent < 0) { return select(0, -1, isBelow); }
  let by = u32(52 - exponent);
  let upper = upperOf(a);
  var whole = (upper << (32u - by)) | (a.x >> by);
  var lost = a.x << (32u - by);
  if (by == 32u) {
    whole = upper;
    lost = a.x;
  } else if (by > 32u) {
    whole = upper >> (by - 32u);
    lost = a.x | (upper << (64u - by));
  }
  return select(i32(whole), -i32(whole) - i32(lost != 0u), isBelow);
}

fn doubleOf(whole: u32) -> Double {
  if (whole == 0u) { return ZERO; }
  let zeros = countLeadingZeros(whole);
  return rounded(0u, BIAS + 31u - zeros, whole << zeros, 0u, 0u);
}
