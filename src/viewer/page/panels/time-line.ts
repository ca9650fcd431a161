/** Moving parts: plays their frames, and marks those in which something touches. */
import { grouped } from '../../../math/printable.ts';
import { button, choice, make, write } from './elements.ts';
import { short } from './numbers.ts';
import { changed, type Panel, type Surroundings } from './panel.ts';

export interface TimeLine extends Panel {
  setContactFrames(frames: readonly (boolean | undefined)[]): void;
  toggle(): void;
  step(by: number): void;
}

/** Frames a second, where frames have no times. */
const RATE = 30;
const SPEEDS: [string, string][] = ['0.1', '0.25', '0.5', '1', '2', '4', '10'].map((speed) => [speed, `${speed}×`]);

export function createTimeLine({ loaded, store, wishes }: Surroundings): TimeLine {
  const { frames } = loaded.document;
  const times = timesOf(frames.map(({ time }) => time));
  const last = frames.length - 1;
  let speed = 1;
  let playing = 0;
  let known: readonly (boolean | undefined)[] = [];
  const play = button('Play', () => toggle(), { class: 'main' });
  const speeds = choice(
    'Speed',
    SPEEDS,
    (value) => {
      speed = Number(value);
    },
    true,
  );
  speeds.control.value = '1';
  const control = make('input', { type: 'range', min: 0, max: Math.max(0, last), step: 1, 'aria-label': 'Frame' });
  const output = make('output');
  const marks = createMarks(frames.length);
  const scan = button('Scan', () => wishes.scanFrames(), { title: 'Looks in which frames something touches' });
  const go = (frame: number) => store.set({ frame: Math.max(0, Math.min(last, frame)) });
  const stop = () => {
    cancelAnimationFrame(playing);
    playing = 0;
    write(play, 'Play');
  };
  const start = () => {
    const from = store.state.frame ?? 0;
    const first = from >= last ? 0 : from;
    go(first);
    let shown = first;
    let began: number | null = null;
    const tick = (now: number) => {
      began ??= now;
      const time = times[first] + (speed * (now - began)) / 1000;
      while (shown < last && times[shown + 1] <= time) shown++;
      go(shown);
      if (shown < last) playing = requestAnimationFrame(tick);
      else stop();
    };
    write(play, 'Pause');
    playing = requestAnimationFrame(tick);
  };
  const toggle = () => (playing ? stop() : start());
  const step = (by: number) => {
    stop();
    go((store.state.frame ?? 0) + by);
  };
  control.addEventListener('input', () => {
    stop();
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
    toggle,
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

/** The second at which each frame comes: as they say, where they only go on, else one after the other. */
function timesOf(times: readonly (number | null)[]): number[] {
  const isOrdered = times.every((time, k) => time !== null && (k === 0 || time >= (times[k - 1] ?? 0)));
  return isOrdered ? (times as number[]) : times.map((_, k) => k / RATE);
}

/** Columns of the marks' picture: frames that share one are marked together. */
const COLUMNS = 1000;

/** Marks under the slider, one a frame. */
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
      // Of frames that share a column, one that touches is seen.
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
