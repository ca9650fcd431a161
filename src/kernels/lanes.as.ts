/** Vectors of four numbers: one of them in all lanes, their products, their least and greatest. */

@inline
export function splat0(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 0, 0, 0, 0);
}

@inline
export function splat1(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 1, 1, 1, 1);
}

@inline
export function splat2(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 2, 2, 2, 2);
}

@inline
export function splat3(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 3, 3, 3, 3);
}

@inline
export function splat(p: usize): v128 {
  return v128.load32_splat(p);
}

/** The scalar products of four vectors with four. */
@inline
export function dot(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(ax, bx), f32x4.mul(ay, by)), f32x4.mul(az, bz));
}

/** The scalar products of two vectors with two, of doubles. */
@inline
export function dotTwo(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return f64x2.add(f64x2.add(f64x2.mul(ax, bx), f64x2.mul(ay, by)), f64x2.mul(az, bz));
}

@inline
export function rowBy(row: usize, x: v128, y: v128, z: v128): v128 {
  return dot(splat(row), splat(row + 4), splat(row + 8), x, y, z);
}

/** The upper half in both. */
@inline
export function upper(v: v128): v128 {
  return v128.shuffle<i64>(v, v, 1, 1);
}

/** The least number of four. */
@inline
export function leastOf(v: v128): f64 {
  const two = f32x4.pmin(v, upper(v));
  return <f64>f32x4.extract_lane(f32x4.pmin(two, splat1(two)), 0);
}

@inline
export function mostOf(v: v128): f64 {
  const two = f32x4.pmax(v, upper(v));
  return <f64>f32x4.extract_lane(f32x4.pmax(two, splat1(two)), 0);
}

/** The greatest lane of each of four vectors. */
@inline
export function most4(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.pmax(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.pmax(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
  return f32x4.pmax(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

@inline
export function least4(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.pmin(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.pmin(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
  return f32x4.pmin(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}
