/**
 * FIPS 180-4, "Secure Hash Standard", section 6.2: SHA-256. Letters are those of the standard.
 *
 * Web Crypto has it too, but not on pages of plain http. It is also asynchronous: thousands of
 * findings waited for their ids as long as they took to be found.
 */

/** Bytes of a block, and the byte of the last one at which the number of bits begins. */
const BLOCK = 64;
const LENGTH_AT = 56;
/** 32 fractional bits of the cube roots of the first 64 primes, and of the square roots of 8. */
// biome-ignore format: eight words a line
const K = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);
// biome-ignore format: as above
const H = Int32Array.of(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
);

const W = new Int32Array(64);
const state = new Int32Array(8);
/** The last bytes, a one bit, zeros, and the number of bits. */
const END = new Uint8Array(2 * BLOCK);
const END_VIEW = new DataView(END.buffer);

/** Returns the 32 bytes of the digest. */
export function ownSha256(bytes: Uint8Array): Uint8Array {
  state.set(H);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length - (bytes.length % BLOCK);
  for (let at = 0; at < whole; at += BLOCK) addBlock(view, at);
  const rest = bytes.length - whole;
  const end = rest < LENGTH_AT ? BLOCK : 2 * BLOCK;
  END.fill(0);
  END.set(bytes.subarray(whole));
  END[rest] = 0x80;
  END_VIEW.setUint32(end - 8, Math.floor(bytes.length / 2 ** 29));
  END_VIEW.setUint32(end - 4, bytes.length << 3);
  for (let at = 0; at < end; at += BLOCK) addBlock(END_VIEW, at);
  const digest = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 8; i++) digest.setInt32(4 * i, state[i]);
  return new Uint8Array(digest.buffer);
}

const turned = (x: number, by: number): number => (x >>> by) | (x << (32 - by));

function addBlock(view: DataView, at: number): void {
  for (let t = 0; t < 16; t++) W[t] = view.getInt32(at + 4 * t);
  for (let t = 16; t < 64; t++) {
    const x = W[t - 15];
    const y = W[t - 2];
    const early = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
    const late = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
    W[t] = W[t - 16] + early + W[t - 7] + late;
  }
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let t = 0; t < 64; t++) {
    const t1 = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + W[t]) | 0;
    const t2 = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}
