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
const K = wordsOf(`
  428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
  d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
  e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
  983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
  27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
  a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
  19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
  748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
`);
const H = wordsOf(`
  6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19
`);

function wordsOf(text: string): Int32Array {
  return Int32Array.from(text.trim().split(/\s+/), (word) => Number.parseInt(word, 16));
}

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
