/** One lane of a vector of four, in all of them. */

// @ts-ignore: decorator
@inline
export function splat0(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 0, 0, 0, 0);
}

// @ts-ignore: decorator
@inline
export function splat1(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 1, 1, 1, 1);
}

// @ts-ignore: decorator
@inline
export function splat2(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 2, 2, 2, 2);
}

// @ts-ignore: decorator
@inline
export function splat3(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 3, 3, 3, 3);
}
