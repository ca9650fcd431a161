/**
 * SHA-256 (FIPS 180-4) for hosts without Web Crypto: pages of plain http, whose browsers keep it
 * back.
 */

/** First 32 bits behind the point of square and cube roots of the first primes. */
const [START, ROUNDS] = constants();

function constants(): [Uint32Array, Uint32Array] {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
  // Roots are below 18, so a double has 48 bits behind their points: an error of the last one does
  // not reach the 32.
  const bits = (root: number): number => (root - Math.floor(root)) * 2 ** 32;
  return [
    Uint32Array.from(primes.slice(0, 8), (p) => bits(Math.sqrt(p))),
    Uint32Array.from(primes, (p) => bits(Math.cbrt(p))),
  ];
}

const turn = (x: number, bits: number): number => (x >>> bits) | (x << (32 - bits));

/** The digest's 32 bytes. */
export function sha256Bytes(bytes: Uint8Array): Uint8Array {
  const state = START.slice();
  const words = new Uint32Array(64);
  const whole = bytes.length - (bytes.length % 64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < whole; at += 64) addBlock(state, words, view, at);
  // The rest, one bit, zeros, and the length in bits.
  const rest = bytes.subarray(whole);
  const tail = new Uint8Array(rest.length < 56 ? 64 : 128);
  tail.set(rest);
  tail[rest.length] = 0x80;
  const end = new DataView(tail.buffer);
  end.setUint32(tail.length - 8, Math.floor(bytes.length / 2 ** 29));
  end.setUint32(tail.length - 4, (bytes.length * 8) % 2 ** 32);
  for (let at = 0; at < tail.length; at += 64) addBlock(state, words, end, at);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (const [k, word] of state.entries()) out.setUint32(4 * k, word);
  return digest;
}

function addBlock(state: Uint32Array, words: Uint32Array, view: DataView, at: number): void {
  for (let t = 0; t < 16; t++) words[t] = view.getUint32(at + 4 * t);
  for (let t = 16; t < 64; t++) {
    const [x, y] = [words[t - 15], words[t - 2]];
    const small = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const large = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    words[t] = words[t - 16] + small + words[t - 7] + large;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t++) {
    const chosen = (e & f) ^ (~e & g);
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + ROUNDS[t] + words[t]) | 0;
    const most = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + most) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, k) => {
    state[k] += word;
  });
}
