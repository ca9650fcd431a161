/** The time line: plays frames at their times, and marks those with contacts. */
import { grouped } from '../../../base/printable.ts';
import { button, changed, choice, make, type Panel, type Surroundings, short, write } from './elements.ts';

export interface TimeLine extends Panel {
  setContactFrames(frames: readonly (boolean | undefined)[]): void;
  toggle(): void;
  step(by: number): void;
}

const SPEEDS: [string, string][] = ['0.1', '0.25', '0.5', '1', '2', '4', '10'].map((speed) => [speed, `${speed}×`]);

export function createTimeLine({ loaded, store, wishes }: Surroundings): TimeLine {
  const { frames } = loaded.document;
  const last = frames.length - 1;
  let known: readonly (boolean | undefined)[] = [];
  const go = (frame: number) => store.set({ frame: Math.max(0, Math.min(last, frame)) });
  const player = createPlayer({
    times: frames.map(({ time }) => time),
    now: () => store.state.frame ?? 0,
    go,
    onChange: (isPlaying) => write(play, isPlaying ? 'Pause' : 'Play'),
  });
  const play = button('Play', player.toggle, { class: 'main' });
  const speeds = choice(
    'Speed',
    SPEEDS,
    (value) => {
      player.speed = Number(value);
    },
    { isBeside: true },
  );
  speeds.control.value = '1';
  const control = make('input', { type: 'range', min: 0, max: Math.max(0, last), step: 1, 'aria-label': 'Frame' });
  const output = make('output');
  const marks = createMarks(frames.length);
  const scan = button('Scan', () => wishes.scanFrames(), {
    title: 'Looks in which frames something touches that does not at first',
  });
  const step = (by: number) => {
    player.stop();
    go((store.state.frame ?? 0) + by);
  };
  control.addEventListener('input', () => {
    player.stop();
    go(Number(control.value));
  });
  return {
    element: make(
      'div',
      { class: 'time', hidden: frames.length === 0 },
      play,
      button('‹', () => step(-1), { 'aria-label': 'One frame back', title: 'One frame back (,)' }),
      button('›', () => step(1), { 'aria-label': 'One frame on', title: 'One frame on (.)' }),
      make('div', { class: 'track' }, control, marks.element),
      output,
      speeds.element,
      scan,
    ),
    toggle: player.toggle,
    step,
    setContactFrames(contacts) {
      known = contacts;
      marks.draw(contacts);
      scan.hidden = contacts.length > 0 && contacts.every((contact) => contact !== undefined);
    },
    follow(state, before) {
      if (before && changed(state, before, 'theme')) marks.draw(known);
      if (!changed(state, before, 'frame') || frames.length === 0) return;
      const frame = Math.min(state.frame ?? 0, last);
      const { time } = frames[frame];
      const words = `${grouped(frame)} of ${grouped(last)}${time === null ? '' : `, time ${short(time)}`}`;
      control.value = String(frame);
      control.setAttribute('aria-valuetext', words);
      write(output, words);
    },
  };
}

const COLUMNS = 1000;

function createMarks(count: number) {
  const width = Math.max(1, Math.min(COLUMNS, count));
  const element = make('canvas', {
    class: 'marks',
    width,
    height: 1,
    role: 'img',
    'aria-label': 'No frame was looked at',
  });
  return {
    element,
    draw(contacts: readonly (boolean | undefined)[]) {
      const context = element.getContext('2d');
      if (!context) return;
      const { color, borderTopColor } = getComputedStyle(element);
      const seen = contacts.filter((contact) => contact !== undefined).length;
      const touching = contacts.filter((contact) => contact).length;
      context.clearRect(0, 0, width, 1);
      for (const [value, style] of [
        [false, borderTopColor],
        [true, color],
      ] as const) {
        context.fillStyle = style;
        for (const [frame, contact] of contacts.entries())
          if (contact === value) context.fillRect(Math.floor((frame * width) / count), 0, 1, 1);
      }
      const words = `Something touches in ${grouped(touching)} of ${grouped(seen)} frames that were looked at`;
      element.setAttribute('aria-label', words);
      element.title = words;
    },
  };
}

interface Player {
  toggle(): void;
  stop(): void;
  speed: number;
}

/** Frames per second, if frames have no times. */
const RATE = 30;

interface Played {
  times: readonly (number | null)[];
  now(): number;
  go(frame: number): void;
  onChange(isPlaying: boolean): void;
}

function createPlayer({ times: told, now, go, onChange }: Played): Player {
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
