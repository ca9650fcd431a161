/** Files read in parts: ranges that are joined, and servers that do not do what they should. */
import { afterEach, describe, expect, test } from 'vitest';
import { FormatError, InputError, OptionError } from '../../src/base/errors.ts';
import { countReads, memorySource, readRanges } from '../../src/containers/byte-source.ts';
import { httpSource } from '../../src/containers/http-source.ts';
import { seeded } from '../support/random.ts';
import { type Misbehaviour, type RangeServer, serveRanges } from '../support/range-server.ts';

const file = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) & 255);

test('a memory source gives its bytes, and nothing beyond', async () => {
  const source = memorySource(file);
  expect(source.size).toBe(file.length);
  expect(await source.read(10, 5)).toEqual(file.subarray(10, 15));
  expect(await source.read(file.length, 0)).toHaveLength(0);
  await expect(source.read(file.length - 1, 2)).rejects.toThrow(FormatError);
  await expect(source.read(-1, 2)).rejects.toThrow(OptionError);
});

test.each([0, 1, 100, 10_000])(
  'ranges that a gap of %i joins are the bytes of the file, seeds 1 to 30',
  async (gap) => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = seeded(seed);
      const ranges = Array.from({ length: random.below(20) }, () => {
        const offset = random.below(file.length);
        return { offset, length: random.below(Math.min(5000, file.length - offset)) };
      });
      const source = countReads({ ...memorySource(file), gap });
      const parts = await readRanges(source, ranges);
      for (const [i, { offset, length }] of ranges.entries()) {
        expect(Buffer.compare(parts[i], file.subarray(offset, offset + length))).toBe(0);
      }
      expect(source.counts.reads).toBeLessThanOrEqual(ranges.length);
    }
  },
);

test('ranges within the gap are one read, others are not', async () => {
  const source = countReads({ ...memorySource(file), gap: 10 });
  const at = (offset: number) => ({ offset, length: 20 });
  await readRanges(source, [at(100), at(130), at(161), at(60)]);
  expect(source.counts).toEqual({ reads: 3, bytes: 20 + 50 + 20 });
});

describe('a file on a server', () => {
  let server: RangeServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  const open = async (misbehave?: Misbehaviour) => {
    server = await serveRanges(file, misbehave);
    return httpSource(server.url);
  };

  test('is read by ranges', async () => {
    const source = await open();
    expect(source.size).toBe(file.length);
    expect(source.isRemote).toBe(true);
    expect(await source.read(200_000, 1000)).toEqual(file.subarray(200_000, 201_000));
    expect(await source.read(file.length - 3, 3)).toEqual(file.subarray(file.length - 3));
    expect(await source.read(5, 100)).toEqual(file.subarray(5, 105)); // from the first answer
    expect(server?.requests).toEqual(['bytes=0-65535', 'bytes=200000-200999', 'bytes=299997-299999']);
    expect(server?.bytes).toBe(65_536 + 1000 + 3);
    await expect(source.read(file.length - 3, 4)).rejects.toThrow(FormatError);
  });

  test('smaller than the first request is read by one', async () => {
    server = await serveRanges(file.subarray(0, 100));
    const source = await httpSource(server.url, { headers: { 'x-key': '1' } });
    expect(source.size).toBe(100);
    expect(await source.read(0, 100)).toEqual(file.subarray(0, 100));
    expect(server.requests).toHaveLength(1);
  });

  test('of a claimed size: refused beyond maxBytes, and within no room is made before bytes come', async () => {
    const claims: Misbehaviour = ({ from, to }, response) => {
      const length = to - from + 1;
      response.writeHead(206, { 'content-range': `bytes ${from}-${to}/4000000000`, 'content-length': length });
      if (length <= 65_536) response.end(new Uint8Array(length));
      else response.write(new Uint8Array(10), () => setTimeout(() => look(response), 50));
      return true;
    };
    let room = Number.POSITIVE_INFINITY;
    let before = 0;
    const look = (response: { destroy(): void }) => {
      room = process.memoryUsage().arrayBuffers - before;
      response.destroy();
    };
    // The server has a file of that size, as far as anybody can tell.
    server = await serveRanges(Object.defineProperty(new Uint8Array(0), 'length', { value: 4e9 }), claims);
    await expect(httpSource(server.url)).rejects.toThrow(
      /: expected a file of at most 2147483648 bytes, found 4000000000; maxBytes raises the limit$/,
    );
    const source = await httpSource(server.url, { maxBytes: 4e9 });
    before = process.memoryUsage().arrayBuffers;
    await expect(source.read(0, 4e9)).rejects.toThrow(/the answer broke off after 10 of 4000000000 bytes/);
    expect(room).toBeLessThan(1e9);
  });

  test('silent, from the start or in the middle, or by a fetch that heeds no signal: it is given up', async () => {
    server = await serveRanges(file, () => true);
    const silent = { silenceMs: 20 };
    await expect(httpSource(server.url, silent)).rejects.toThrow(/: no answer \(no bytes for 0\.02 s\)$/);
    const deaf = { ...silent, fetch: () => new Promise<Response>(() => {}) };
    await expect(httpSource(server.url, deaf)).rejects.toThrow(/: no answer \(no bytes for 0\.02 s\)$/);
    const body = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(10)) });
    const headers = { 'content-range': `bytes 0-65535/${file.length}` };
    const stuck = { ...silent, fetch: async () => new Response(body, { status: 206, headers }) };
    await expect(httpSource(server.url, stuck)).rejects.toThrow(/broke off after 10 of 65536 bytes \(no bytes for/);
    await expect(httpSource(server.url, { silenceMs: 0 })).rejects.toThrow(/^silenceMs: expected a number of milli/);
    const ended = { signal: AbortSignal.abort(new Error('enough')) };
    await expect(httpSource(server.url, ended)).rejects.toThrow(/: no answer \(enough\)$/);
  });

  /** What is done with the second request, and what is said of it. */
  const later: [string, Misbehaviour, RegExp][] = [
    [
      'ignores the range',
      (_, response) => {
        response.writeHead(200, { 'content-length': file.length });
        response.end(file);
        return true;
      },
      /all of it \(200\): the server ignores ranges/,
    ],
    [
      'sends another range',
      ({ from, to }, response) => {
        response.writeHead(206, { 'content-range': `bytes ${from + 1}-${to + 1}/${file.length}` });
        response.end(file.subarray(from + 1, to + 2));
        return true;
      },
      /expected bytes \d+ to \d+, found "bytes/,
    ],
    [
      'sends no Content-Range',
      ({ from, to }, response) => {
        response.writeHead(206);
        response.end(file.subarray(from, to + 1));
        return true;
      },
      /expected a Content-Range .*, found none/,
    ],
    [
      'does not say how large the file is',
      ({ from, to }, response) => {
        response.writeHead(206, { 'content-range': `bytes ${from}-${to}/*` });
        response.end(file.subarray(from, to + 1));
        return true;
      },
      /expected a Content-Range with the size/,
    ],
    [
      'has another version of the file',
      ({ from, to }, response) => {
        response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${file.length}`, etag: '"second"' });
        response.end(file.subarray(from, to + 1));
        return true;
      },
      /it has changed while it was read/,
    ],
    [
      'has a longer version of the file',
      ({ from, to }, response) => {
        response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${file.length + 1}`, etag: '"first"' });
        response.end(file.subarray(from, to + 1));
        return true;
      },
      /it has changed while it was read/,
    ],
    [
      'compresses',
      ({ from, to }, response) => {
        const headers = { 'content-range': `bytes ${from}-${to}/${file.length}`, 'content-encoding': 'x-made-up' };
        response.writeHead(206, headers);
        response.end(file.subarray(from, to + 1));
        return true;
      },
      /expected the file without encoding, found encoding x-made-up/,
    ],
    [
      'sends fewer bytes than it says',
      ({ from, to }, response) => {
        response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${file.length}`, etag: '"first"' });
        response.end(file.subarray(from, to));
        return true;
      },
      /expected 10 bytes, found 9/,
    ],
    [
      'sends more bytes than it says',
      ({ from, to }, response) => {
        response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${file.length}`, etag: '"first"' });
        response.end(file.subarray(from, to + 2));
        return true;
      },
      /expected 10 bytes, found more/,
    ],
    [
      'breaks off',
      ({ from, to }, response) => {
        const headers = {
          'content-range': `bytes ${from}-${to}/${file.length}`,
          etag: '"first"',
          'content-length': 10,
        };
        response.writeHead(206, headers);
        response.write(file.subarray(from, from + 4), () => response.destroy());
        return true;
      },
      /broke off after \d of 10 bytes/,
    ],
    [
      'has lost it',
      (_, response) => {
        response.writeHead(404).end();
        return true;
      },
      /status 404/,
    ],
  ];

  test.each(later)('that then %s is refused', async (_, misbehave, message) => {
    const source = await open((range, response, count) => count === 2 && misbehave(range, response, count));
    const error = await source.read(100_000, 10).catch((reason) => reason);
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toMatch(message);
    expect(error.message.startsWith(server?.url)).toBe(true);
    // What was a fault of the moment is none of the source.
    expect(await source.read(100_000, 10)).toEqual(file.subarray(100_000, 100_010));
  });

  test('that ignores ranges from the start is refused before its bytes are read', async () => {
    const opened = open((_, response) => {
      response.writeHead(200, { 'content-length': file.length });
      response.end(file);
      return true;
    });
    await expect(opened).rejects.toThrow(/the server ignores ranges, so fetch the file and read\(\) it/);
  });

  test('that is not there is refused', async () => {
    const { url, close } = await serveRanges(file);
    await close();
    const error = await httpSource(url).catch((reason) => reason);
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toMatch(/no answer \(ECONNREFUSED\)/);
  });

  test('whose reading is ended by a signal is refused', async () => {
    server = await serveRanges(file);
    const controller = new AbortController();
    const source = await httpSource(server.url, { signal: controller.signal });
    controller.abort();
    await expect(source.read(100_000, 10)).rejects.toThrow(InputError);
  });
});
