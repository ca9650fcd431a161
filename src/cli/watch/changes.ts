/**
 * Watches file-system changes and groups them into rounds: an editor's several writes, or a
 * checkout of 500 files, are one round. It uses chokidar, or polls if the system has no more
 * watches or on request. Events carry no content: consumers look for themselves.
 */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { stampOf } from './digests.ts';
import { Reach, type Wanted } from './watched-paths.ts';

/** Milliseconds without an event that end a round; chokidar holds back 50 ms after an event. */
const QUIET = 60;
/** Waits for slow writers this many times as long as their pause. */
const PAUSES = 3;
const LONGEST_QUIET = 500;
/** Milliseconds after which a round begins even if files still grow. */
const LONGEST_WAIT = 10_000;
/** Milliseconds between two polls; more files take longer. */
const POLL = 100;
const FILES_A_POLL_MS = 5;

/** Error codes when the system has no more watches. */
const EXHAUSTED = new Set(['ENOSPC', 'EMFILE', 'ENFILE']);

export interface ChangesOptions {
  /** True to poll from the start. */
  polls: boolean;
  /** True if the watch itself writes this absolute path, which is no change. */
  isOutput(path: string): boolean;
  warn(line: string): void;
}

export class Changes {
  private watcher: FSWatcher | undefined;
  private reach: Reach | undefined;
  private polls: boolean;
  /** True if events may be missing. */
  private isLost = true;
  private isClosed = false;
  /** Changed paths since the last round, with their stamps at the event. */
  private pending = new Map<string, string | null>();
  private firstAt = 0;
  private lastAt = 0;
  private longestPause = 0;
  private wake: () => void = () => {};

  constructor(private readonly options: ChangesOptions) {
    this.polls = options.polls;
  }

  /** Watches from now on; returns true if changes may have been missed. */
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
    warn(`watch: the system allows no more file watches (${error.code}); files are polled instead`);
    // If it happens later, a round that finds nothing changed opens the watch again.
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

  /** Returns changed paths once they are quiet; null after `close`. */
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

  private async quiet(): Promise<void> {
    while (!this.isClosed && performance.now() < this.firstAt + LONGEST_WAIT) {
      const quiet = Math.min(LONGEST_QUIET, Math.max(QUIET, PAUSES * this.longestPause));
      const left = this.lastAt + quiet - performance.now();
      if (left > 0) await new Promise((done) => setTimeout(done, left));
      else if (this.areGrowing()) this.lastAt = performance.now();
      else return;
    }
  }

  /** True if a file has changed since its event. */
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

/** Node's default number of threads for file access. */
const LOOKING_THREADS = 4;

/**
 * Waits for a poller's first looks, which give no event. Looks begin in the order of their
 * requests: when some later ones are done, those are, too.
 */
async function looksAreTaken(): Promise<void> {
  for (let look = 0; look < 2 * LOOKING_THREADS; look++) await stat('.').catch(() => {});
}
