/**
 * Strips and tiles of a TIFF, decoded on first use and evicted when others need their room.
 *
 * A block is available at once or not at all: `blocks[id]` is its samples or undefined. If one is
 * missing, a caller goes on elsewhere or stops, and requests all missing blocks in one call of
 * `load`: one batch of reads, one of inflating. It can also name blocks that may be needed next:
 * their stored bytes are read along, a tenth of the samples, but not inflated.
 *
 * Only Deflate: each of its streams ends with the Adler-32 checksum of its decoded data, which
 * reveals damage to a block without the rest of its page. LZW and uncompressed blocks carry none.
 * Adobe Developers Association, "TIFF Revision 6.0", 1992, sections 14 (predictor) and 15 (tiles).
 *
 * A search that loads missing blocks and continues must end, however small the limits are. So the
 * blocks in the first argument of `load` are kept until they are released, beyond the limit if
 * necessary. Then they are there when the search looks again.
 */
import { FormatError, InputError, OptionError } from '../base/errors.ts';
import { type ByteSource, readRanges } from './byte-source.ts';
import { type Inflate, inflate, samplesOfBlock } from './tiff-blocks.ts';
import { blockDecodedBytes, nounOfBlock, type TiffPage } from './tiff-directory.ts';

export interface BlockStoreOptions {
  /** Bytes of samples to keep, and of stored bytes as many again at most; 128 MiB by default. */
  cacheBytes?: number;
  /** Replaces the platform's. */
  inflate?: Inflate;
  name?: string;
}

export interface StoredPage {
  page: TiffPage;
  first: number;
  across: number;
}

const DEFAULT_CACHE = 2 ** 27;

export class BlockStore {
  readonly pages: StoredPage[] = [];
  /** Samples of each block, rows of blockWidth pixels; undefined if absent. Read-only. */
  readonly blocks: (Uint16Array | undefined)[] = [];
  /** `now` at a block's last use, which its user sets; the oldest are evicted first. */
  readonly used: Float64Array;
  now = 0;
  /** Batches of reads; decoded blocks, including repeats, and their bytes. */
  readonly counts = { batches: 0, decoded: 0, decodedBytes: 0 };

  private readonly stored: (Uint8Array | undefined)[] = [];
  private readonly pins: Uint16Array;
  private readonly coming = new Map<number, Promise<void>>();
  private readonly cacheBytes: number;
  private readonly inflate: Inflate;
  private readonly name: string | undefined;
  private residentBytes = 0;
  private storedBytes = 0;

  /** @throws OptionError for an invalid limit, or a page that is not Deflate */
  constructor(
    readonly source: ByteSource,
    pages: readonly TiffPage[],
    options: BlockStoreOptions = {},
  ) {
    const { cacheBytes = DEFAULT_CACHE } = options;
    if (!(cacheBytes >= 0)) throw new OptionError(`cacheBytes ${cacheBytes}: expected a number of bytes from 0`);
    this.cacheBytes = cacheBytes;
    this.inflate = options.inflate ?? inflate;
    this.name = options.name;
    let first = 0;
    for (const page of pages) {
      if (page.compression !== 'deflate') {
        throw new OptionError(
          `compression ${page.compression}: its blocks carry no checksums, so the page is read whole`,
        );
      }
      this.pages.push({ page, first, across: Math.ceil(page.width / page.blockWidth) });
      first += page.offsets.length;
    }
    this.blocks.length = this.stored.length = first;
    this.used = new Float64Array(first);
    this.pins = new Uint16Array(first);
  }

  sizeOf(id: number): number {
    const { page, first } = this.pageOf(id);
    return blockDecodedBytes(page, id - first);
  }

  get wholeBytes(): number {
    return this.pages.reduce((sum, { page }) => {
      for (let i = 0; i < page.offsets.length; i++) sum += blockDecodedBytes(page, i);
      return sum;
    }, 0);
  }

  /**
   * Loads blocks. `needed` stay until they are released. `wanted` are decoded too, as far as the
   * cache has room, and may go with the next call. The stored bytes of `likely` are read if a read
   * is made anyway.
   *
   * @throws FormatError, with the block's offset, if one does not decode to its page's size; errors
   *   of the source
   */
  async load(needed: readonly number[], wanted: readonly number[] = [], likely: readonly number[] = []): Promise<void> {
    for (const id of needed) this.pins[id]++;
    try {
      let room = this.cacheBytes;
      for (const id of new Set(needed)) room -= this.sizeOf(id);
      const missing = new Set<number>();
      for (const id of needed) if (!this.blocks[id]) missing.add(id);
      for (const id of wanted) {
        if (this.blocks[id] || missing.has(id)) continue;
        room -= this.sizeOf(id);
        if (room < 0) break;
        missing.add(id);
      }
      await this.decodeAll([...missing], likely);
    } catch (error) {
      this.release(needed);
      throw error;
    }
  }

  /** Releases needed blocks, once for each request. */
  release(needed: readonly number[]): void {
    for (const id of needed) this.pins[id]--;
  }

  /** Reads the stored bytes, then decodes; waits for blocks that other calls are loading. */
  private async decodeAll(missing: number[], likely: readonly number[]): Promise<void> {
    const others = missing.flatMap((id) => this.coming.get(id) ?? []);
    const mine = missing.filter((id) => !this.coming.has(id));
    const work = this.fetchStored(mine, likely).then(async () => {
      await Promise.all(mine.map((id) => this.decode(id)));
    });
    for (const id of mine) this.coming.set(id, work);
    try {
      await Promise.all([work, ...others]);
    } finally {
      for (const id of mine) this.coming.delete(id);
      this.makeRoom();
    }
  }

  private async fetchStored(mine: readonly number[], likely: readonly number[]): Promise<void> {
    const absent = mine.filter((id) => !this.stored[id]);
    if (absent.length === 0) return;
    const ids = new Set(absent);
    for (const id of likely) if (!this.stored[id] && !this.blocks[id]) ids.add(id);
    const ranges = [...ids].map((id) => this.rangeOf(id));
    const parts = await readRanges(this.source, ranges);
    let k = 0;
    for (const id of ids) {
      const part = parts[k++];
      if (this.stored[id]) continue; // another call's batch has read it in the meantime
      this.stored[id] = part;
      this.storedBytes += part.length;
    }
    this.counts.batches++;
  }

  private async decode(id: number): Promise<void> {
    const { page, first } = this.pageOf(id);
    const { offset } = this.rangeOf(id);
    const length = blockDecodedBytes(page, id - first);
    const data = this.stored[id] as Uint8Array;
    // Only now, since the platform decides which of several is inflated first.
    const turn = ++this.now;
    const bytes = await this.inflate(data, length).catch((error: unknown) => {
      if (!(error instanceof FormatError)) throw error;
      const expected = `${error.expected} in ${nounOfBlock(page, id - first)}`;
      const named = new FormatError({ byte: offset }, expected, error.found);
      throw this.name === undefined ? named : new InputError(named.describe(this.name));
    });
    this.counts.decoded++;
    this.counts.decodedBytes += length;
    if (this.stored[id]) {
      this.storedBytes -= data.length;
      this.stored[id] = undefined;
    }
    if (this.blocks[id]) return;
    this.blocks[id] = samplesOfBlock(bytes, page);
    this.used[id] = turn;
    this.residentBytes += length;
  }

  private makeRoom(): void {
    if (this.residentBytes > this.cacheBytes) {
      const order: number[] = [];
      for (let id = 0; id < this.blocks.length; id++) if (this.blocks[id] && this.pins[id] === 0) order.push(id);
      order.sort((i, k) => this.used[i] - this.used[k] || i - k);
      for (const id of order) {
        if (this.residentBytes <= this.cacheBytes) break;
        this.blocks[id] = undefined;
        this.residentBytes -= this.sizeOf(id);
      }
    }
    if (this.storedBytes > this.cacheBytes && this.coming.size === 0) {
      this.stored.fill(undefined);
      this.storedBytes = 0;
    }
  }

  private rangeOf(id: number): { offset: number; length: number } {
    const { page, first } = this.pageOf(id);
    return { offset: page.offsets[id - first], length: page.byteCounts[id - first] };
  }

  private pageOf(id: number): StoredPage {
    let p = this.pages.length - 1;
    while (this.pages[p].first > id) p--;
    return this.pages[p];
  }
}
