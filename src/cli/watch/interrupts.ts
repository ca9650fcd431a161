/** Handles interrupts of a watch. */

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * While held, an interrupt ends the watch with its code. Otherwise it ends the program at once,
 * since a build is one long step that would not notice it.
 */
export class Interrupts {
  isEnded = false;
  private readonly end = (): void => {
    this.isEnded = true;
    this.onEnd();
  };

  constructor(private readonly onEnd: () => void) {
    this.hold();
  }

  hold(): void {
    this.release();
    for (const signal of SIGNALS) process.on(signal, this.end);
  }

  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.end);
  }
}
