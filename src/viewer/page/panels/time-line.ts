/** The time line: plays frames at their times, and marks those in which something touches. */
import { grouped, short } from '../../../base/printable.ts';
import { button, changed, choice, counted, make, type Panel, type Surroundings, write } from './elements.ts';

export interface TimeLine extends Panel {
  toggle(): void;
  step(by: number): void;
}

const SPEEDS: [string, string][] = ['0.1', '0.25', '0.5', '1', '2', '4', '10'].map((speed) => [speed, `${speed}×`]);

export function createTimeLine({ loaded, store }: Surroundings): TimeLine {
  const { frames } = loaded.document;
  const last = frames.length - 1;
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
  const marks = createMarks(frames.map(({ touches = false }) => touches));
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
    ),
    toggle: player.toggle,
    step,
    follow(state, before) {
      if (frames.length === 0) return;
      // A new page has no style before it is in the document.
      if (changed(state, before, 'theme')) requestAnimationFrame(marks.draw);
      if (!changed(state, before, 'frame')) return;
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

function createMarks(touches: readonly boolean[]) {
  const width = Math.max(1, Math.min(COLUMNS, touches.length));
  const words = `Something touches in ${grouped(touches.filter(Boolean).length)} of ${counted(touches.length, 'frame')}`;
  const element = make('canvas', { class: 'marks', width, height: 1, role: 'img', 'aria-label': words, title: words });
  return {
    element,
    draw() {
      const context = element.getContext('2d');
      if (!context) return;
      context.clearRect(0, 0, width, 1);
      context.fillStyle = getComputedStyle(element).color;
      for (const [frame, isMarked] of touches.entries())
        if (isMarked) context.fillRect(Math.floor((frame * width) / touches.length), 0, 1, 1);
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
