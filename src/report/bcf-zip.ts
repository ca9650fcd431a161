/** Writes a zip file piece by piece with fflate. The same entries give the same bytes. */

/** A file; or a folder if the path ends with a slash. */
export interface Entry {
  path: string;
  bytes: Uint8Array;
  /** True for data that is compressed already. */
  stored?: boolean;
}

/** fflate writes the local time, so this is made of local parts, at an hour that no clock skips. */
const DATE = (): Date => new Date(1980, 0, 1, 12);

/**
 * Takes at most 65,535 entries, since the format numbers them with 16 bits. Tried: fflate's
 * ZipDeflate keeps 100 KB of each entry until the end, 2 GB for 20,000.
 */
export async function* zipped(entries: AsyncIterable<Entry> | Iterable<Entry>): AsyncGenerator<Uint8Array> {
  const { deflateSync, Zip, ZipPassThrough } = await import('fflate');
  class Deflated extends ZipPassThrough {
    override compression = 8;
    protected override process(bytes: Uint8Array, final: boolean): void {
      this.ondata(null, deflateSync(bytes), final);
    }
  }
  let ready: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    ready.push(piece);
  });
  for await (const { path, bytes, stored } of entries) {
    const file = stored || bytes.length === 0 ? new ZipPassThrough(path) : new Deflated(path);
    file.mtime = DATE();
    zip.add(file);
    file.push(bytes, true);
    yield* ready;
    ready = [];
  }
  zip.end();
  yield* ready;
}
