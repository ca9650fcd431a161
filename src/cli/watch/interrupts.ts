/** When somebody ends a watch. */

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * While these are held, an interrupt ends the watch with its code. While they are not, it ends the
 * program as it ends any: nobody hears of it in the middle of a build, which is one long step.
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
