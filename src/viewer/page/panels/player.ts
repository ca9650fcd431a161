/** Plays frames at their times. */

export interface Player {
  toggle(): void;
  stop(): void;
  speed: number;
}

/** Frames per second, if frames have no times. */
const RATE = 30;

export interface Played {
  times: readonly (number | null)[];
  now(): number;
  go(frame: number): void;
  onChange(isPlaying: boolean): void;
}

export function createPlayer({ times: told, now, go, onChange }: Played): Player {
  const times = timesOf(told);
  const last = times.length - 1;
  let asked = 0;
  const stop = () => {
    cancelAnimationFrame(asked);
    asked = 0;
    onChange(false);
  };
  const start = () => {
    const first = now() >= last ? 0 : now();
    let shown = first;
    let time = times[first];
    let before: number | null = null;
    const tick = (at: number) => {
      time += (player.speed * (at - (before ?? at))) / 1000;
      before = at;
      while (shown < last && times[shown + 1] <= time) shown++;
      go(shown);
      if (shown < last) asked = requestAnimationFrame(tick);
      else stop();
    };
    asked = requestAnimationFrame(tick);
    onChange(true);
  };
  const player: Player = { speed: 1, stop, toggle: () => (asked ? stop() : start()) };
  return player;
}

function timesOf(times: readonly (number | null)[]): number[] {
  const isOrdered = times.every((time, k) => time !== null && (k === 0 || time >= (times[k - 1] ?? 0)));
  return isOrdered ? (times as number[]) : times.map((_, k) => k / RATE);
}
