/**
 * What changes in the file system, in rounds: an editor's save in several writes, or a checkout of
 * 500 files, is one.
 *
 * By chokidar; where the system has no more watches to give, and on demand, by looking again and
 * again. No event says what is there: whoever hears of one looks for himself.
 */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { stampOf } from './digests.ts';
import { Reach, type Wanted } from './reach.ts';

/**
 * Milliseconds without an event that end a round: chokidar holds back what a file does in the 50 ms
 * after it has told of it.
 */
const QUIET = 60;
/** Slow writers are waited for as many times as long as they have paused. */
const PAUSES = 3;
const LONGEST_QUIET = 500;
/** Milliseconds after which a round begins, though its files grow on and on. */
const LONGEST_WAIT = 10_000;
/** Milliseconds between two looks at all files; more of them take longer. */
const POLL = 100;
const FILES_A_POLL_MS = 5;

/** What the system says when it has no more watches to give. */
const EXHAUSTED = new Set(['ENOSPC', 'EMFILE', 'ENFILE']);

export interface ChangesOptions {
  /** Whether to look again and again, from the start. */
  polls: boolean;
  /** Whether the watch itself writes a path, by its absolute path: that is no change. */
  isOutput(path: string): boolean;
  warn(line: string): void;
}

export class Changes {
  private watcher: FSWatcher | undefined;
  private reach: Reach | undefined;
  private polls: boolean;
  /** Whether it does not hear of all any more. */
  private isLost = true;
  private isClosed = false;
  /** Paths that have changed since the last round, with what they were when that was told. */
  private pending = new Map<string, string | null>();
  private firstAt = 0;
  private lastAt = 0;
  private longestPause = 0;
  private wake: () => void = () => {};

  constructor(private readonly options: ChangesOptions) {
    this.polls = options.polls;
  }

  /**
   * Watches this from now on.
   *
   * @param files how many there are, about
   * @returns whether something may have changed that nobody told of
   */
  async follow(wanted: Wanted, files = 0): Promise<boolean> {
    const reach = new Reach(wanted, this.options.isOutput);
    if (!this.isLost && reach.signature === this.reach?.signature) return false;
    this.reach = reach;
    await this.open(files);
    return true;
  }

  private async open(files: number): Promise<void> {
    await this.watcher?.close();
    if (this.isClosed) return;
    this.isLost = false;
    const { watch } = await import('chokidar');
    const { roots } = this.reach as Reach;
    const polled = this.polls;
    const watcher = watch(roots, {
      ignored: (path) => !roots.includes(resolve(path)) && !this.reach?.has(resolve(path)),
      ...{ ignoreInitial: true, ignorePermissionErrors: true },
      ...(polled && { usePolling: true, interval: Math.max(POLL, files / FILES_A_POLL_MS) }),
    });
    this.watcher = watcher;
    await new Promise<void>((done) => {
      watcher.on('ready', done).on('error', (error) => this.fail(error as NodeJS.ErrnoException, done));
      watcher.on('all', (event, path) => {
        if (event === 'unlinkDir' && roots.includes(resolve(path))) this.isLost = true;
        this.note(resolve(path));
      });
    });
    if (polled) await looksAreTaken();
    if (this.isClosed) await watcher.close();
    else if (this.isLost && this.polls && !polled) await this.open(files);
  }

  private fail(error: NodeJS.ErrnoException, done: () => void): void {
    const { warn } = this.options;
    if (!EXHAUSTED.has(error.code ?? '')) {
      warn(`watch: ${error.message}`);
      return;
    }
    if (this.polls) return;
    this.polls = true;
    this.isLost = true;
    warn(`watch: the system has no more watches to give (${error.code}): files are looked at again and again instead`);
    // Where it happens later, a round that finds nothing changed opens again.
    this.note('');
    done();
  }

  private note(path: string): void {
    const now = performance.now();
    if (this.pending.size === 0) {
      this.firstAt = now;
      this.longestPause = 0;
    } else this.longestPause = Math.max(this.longestPause, now - this.lastAt);
    this.lastAt = now;
    this.pending.set(path, stampOf(path));
    this.wake();
  }

  /** The paths that have changed, when they are quiet; null after `close`. */
  async next(): Promise<string[] | null> {
    for (;;) {
      while (this.pending.size === 0 && !this.isClosed) await new Promise<void>((done) => (this.wake = done));
      await this.quiet();
      if (this.isClosed) return null;
      const paths = [...this.pending.keys()].filter((path) => path === '' || this.reach?.has(path));
      this.pending.clear();
      if (paths.length > 0) return paths.filter((path) => path !== '').sort();
    }
  }

  /** Waits for the end of what happens now. */
  private async quiet(): Promise<void> {
    while (!this.isClosed && performance.now() < this.firstAt + LONGEST_WAIT) {
      const quiet = Math.min(LONGEST_QUIET, Math.max(QUIET, PAUSES * this.longestPause));
      const left = this.lastAt + quiet - performance.now();
      if (left > 0) await new Promise((done) => setTimeout(done, left));
      else if (this.areGrowing()) this.lastAt = performance.now();
      else return;
    }
  }

  /** Whether a file is another one than when its change was told. */
  private areGrowing(): boolean {
    let isGrowing = false;
    for (const [path, before] of this.pending) {
      const now = stampOf(path);
      if (now !== before) isGrowing = true;
      this.pending.set(path, now);
    }
    return isGrowing;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.wake();
    await this.watcher?.close();
  }
}

/** Threads of Node that look at files, unless it is told otherwise. */
const LOOKING_THREADS = 4;

/**
 * Who polls compares with what a file was at a first look, and is not told when that was taken. Looks
 * begin in the order in which they were asked for: when some more are done, so are those before.
 */
async function looksAreTaken(): Promise<void> {
  for (let look = 0; look < 2 * LOOKING_THREADS; look++) await stat('.').catch(() => {});
}
