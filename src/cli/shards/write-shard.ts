/** Writes the findings of a run's share, for `gicollide merge`. */
import { join } from 'node:path';
import type { Shard } from '../../math/shares.ts';
import { TOOL } from '../../version.ts';
import { writeWhole } from '../write-whole.ts';
import { runOf, SHARD_FORMAT, type ShardHeader, shardFileOf } from './shard-file.ts';

const LINES_A_PIECE = 1000;

type Own = 'type' | 'gicollide' | 'index' | 'count' | 'run' | 'tool';
type Without<Header, Keys extends PropertyKey> = Header extends unknown ? Omit<Header, Keys> : never;

export class ShardWriter {
  private readonly lines: string[] = [];
  private readonly objects: number;

  constructor(
    private readonly folder: string,
    private readonly shard: Shard,
    about: Without<ShardHeader, Own>,
  ) {
    const run = runOf({ tool: TOOL, ...about } as ShardHeader);
    this.lines.push(JSON.stringify({ type: 'shard', gicollide: SHARD_FORMAT, ...shard, run, tool: TOOL, ...about }));
    this.objects = about.names.length;
  }

  /** Adds a record about two objects by number, i < j. */
  add(i: number, j: number, record: object): void {
    this.lines.push(JSON.stringify({ pair: i * this.objects + j, ...record }));
  }

  async end(...last: object[]): Promise<void> {
    for (const record of last) this.lines.push(JSON.stringify(record));
    await writeWhole(join(this.folder, shardFileOf(this.shard)), this.pieces());
  }

  private async *pieces(): AsyncGenerator<string, void, undefined> {
    for (let n = 0; n < this.lines.length; n += LINES_A_PIECE)
      yield `${this.lines.slice(n, n + LINES_A_PIECE).join('\n')}\n`;
  }
}
