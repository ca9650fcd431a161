/** Limits the memory of concurrent jobs. A single job may exceed the limit. */
export class Room {
  private taken = 0;
  private waiting: (() => void)[] = [];
  private readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  async take(bytes: number): Promise<void> {
    while (this.taken > 0 && this.taken + bytes > this.bytes) await new Promise<void>((go) => this.waiting.push(go));
    this.taken += bytes;
  }

  give(bytes: number): void {
    this.taken -= bytes;
    for (const go of this.waiting.splice(0)) go();
  }
}
