/**
 * What the view shows is asked of the engine, and what that answers is shown: at every move what a
 * frame has time for, and the rest when the objects rest.
 */
import { printable } from '../../math/printable.ts';
import type { PairQuestion, Shape } from '../protocol.ts';
import { movedPoses, standingPose } from '../standing.ts';
import type { ViewState } from '../view-state.ts';
import type { Engine, Loaded, Panels, Stage, Store } from './parts.ts';

/** Objects rest when nothing has moved for so long, milliseconds. */
const REST = 120;
/** Levels of bounds that are kept, since sliders go back and forth. */
const MOST_SHAPES = 24;

export interface Answerers {
  loaded: Loaded;
  store: Store;
  engine: Engine;
  stage: Stage;
  panels: Panels;
}

/** Follows the view from now on. */
export function followView({ loaded, store, engine, stage, panels }: Answerers): void {
  const view = loaded.document;
  const { objects } = view;
  let resting: ReturnType<typeof setTimeout> | undefined;
  const shapes = new Map<string, Promise<Shape>>();
  const complain = (error: unknown): void => panels.say(messageOf(error), 'problem');

  const pairOf = (state: ViewState): PairQuestion | null => {
    if (state.a === null || state.b === null) return null;
    const [a, b] = [loaded.numbers.get(state.a), loaded.numbers.get(state.b)];
    if (a === undefined || b === undefined || a === b) return null;
    return { a, b, poseA: standingPose(view, state, a), poseB: standingPose(view, state, b) };
  };

  /** Who was ever placed: who is moved no more goes back. */
  const placed = new Set<string>();
  const place = (state: ViewState): void => {
    for (const name of movedPoses(view, state).keys()) placed.add(name);
    for (const name of placed) {
      const number = loaded.numbers.get(name);
      if (number !== undefined) stage.setPose(number, standingPose(view, state, number));
    }
  };

  const askQuick = async (state: ViewState): Promise<void> => {
    const pair = pairOf(state);
    panels.setFull(null);
    if (!pair) {
      panels.setQuick(null);
      stage.setLine(null);
      stage.setContacts(null);
      return;
    }
    const answer = await engine.askLatest('quick', pair);
    if (!answer) return;
    panels.setQuick(answer);
    stage.setLine(answer.line);
    if (answer.verdict === 'clear') stage.setContacts(null);
  };

  const askFull = async (state: ViewState): Promise<void> => {
    const pair = pairOf(state);
    if (!pair) return;
    const answer = await engine.askLatest('full', pair);
    // Objects that have moved meanwhile are asked about again, and this speaks of where they were.
    if (!answer || !isStill(state, store.state)) return;
    panels.setFull(answer);
    stage.setContacts(answer.contacts);
    const { witness } = answer.report;
    if (witness) stage.setLine([...witness.a, ...witness.b]);
  };

  const shapeOf = (asset: number, level: number): Promise<Shape> => {
    const key = `${asset} ${level}`;
    const found = shapes.get(key) ?? engine.ask('bounds', { asset, level });
    shapes.delete(key);
    shapes.set(key, found);
    if (shapes.size > MOST_SHAPES) shapes.delete(shapes.keys().next().value!);
    return found;
  };

  const showBounds = async (state: ViewState): Promise<void> => {
    const { level } = state;
    const pair = pairOf(state);
    if (level === null || !pair) return stage.setBounds(null, null);
    const assets = [objects[pair.a].asset, objects[pair.b].asset];
    const [a, b] = await Promise.all(assets.map((asset) => shapeOf(asset, Math.min(level, loaded.facts[asset].depth))));
    if (store.state.level === level && isSamePair(state, store.state)) stage.setBounds(a, b);
  };

  const showVisits = async (state: ViewState): Promise<void> => {
    const pair = pairOf(state);
    if (state.visits === null || !pair) {
      stage.setVisits(null);
      panels.setVisits(null);
      return;
    }
    const answer = await engine.askLatest('visits', { ...pair, level: state.visits });
    if (!answer || store.state.visits === null) return;
    stage.setVisits(answer);
    panels.setVisits(answer);
  };

  const askTouching = async (state: ViewState): Promise<void> => {
    const poses = Object.fromEntries(movedPoses(view, state));
    const answer = await engine.askLatest('touching', { poses });
    if (answer) panels.setTouching(answer.pairs, answer.ms);
  };

  const follow = (state: ViewState, before: ViewState | null): void => {
    const isMoved = !before || state.poses !== before.poses || state.frame !== before.frame;
    const isOther = !before || !isSamePair(state, before);
    if (isMoved) place(state);
    if (isMoved || isOther) {
      askQuick(state).catch(complain);
      clearTimeout(resting);
      resting = setTimeout(() => askFull(state).catch(complain), REST);
    }
    if (isMoved && objects.length > 2) askTouching(state).catch(complain);
    if (isOther || state.level !== before?.level) showBounds(state).catch(complain);
    if (isMoved || isOther || state.visits !== before?.visits) showVisits(state).catch(complain);
  };
  store.follow(follow);
  follow(store.state, null);
}

const isSamePair = (p: ViewState, q: ViewState): boolean => p.a === q.a && p.b === q.b;
const isStill = (p: ViewState, q: ViewState): boolean => isSamePair(p, q) && p.poses === q.poses && p.frame === q.frame;

/** One line of whatever was thrown. */
export const messageOf = (error: unknown): string => printable(error instanceof Error ? error.message : String(error));
