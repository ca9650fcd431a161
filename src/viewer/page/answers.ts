/**
 * Asks the engine for the current view, and shows its answers. Each move gets a quick answer; the
 * full one follows at rest.
 */
import { printable } from '../../base/printable.ts';
import type { PairQuestion, Shape } from '../protocol.ts';
import { movedPoses, standingPose } from '../standing.ts';
import type { ViewState } from '../view-state.ts';
import type { Engine, Loaded, Panels, Stage, Store } from './parts.ts';

/** Milliseconds without movement that count as rest. */
const REST = 120;
const MOST_SHAPES = 24;

interface Answerers {
  loaded: Loaded;
  store: Store;
  engine: Engine;
  stage: Stage;
  panels: Panels;
}

export function followView(parts: Answerers): void {
  const { loaded, store, panels } = parts;
  const isScene = loaded.document.objects.length > 2;
  const place = createPlacer(parts);
  const showBounds = createBounds(parts);
  const askQuick = createQuick(parts);
  let resting: ReturnType<typeof setTimeout> | undefined;
  const complain = (error: unknown): void => panels.say(messageOf(error), 'problem');
  const follow = (state: ViewState, before: ViewState | null): void => {
    const isMoved = !before || state.poses !== before.poses || state.frame !== before.frame;
    const isOther = !before || !isSamePair(state, before);
    if (isMoved) place(state);
    if (isOther) forget(parts);
    if (isMoved || isOther) {
      const told = askQuick(state).catch(complain);
      clearTimeout(resting);
      // After the quick answer, which would overwrite the full one.
      resting = setTimeout(() => told.then(() => askFull(parts, state)).catch(complain), REST);
    }
    if (isMoved && isScene) askTouching(parts, state).catch(complain);
    if (isOther || state.level !== before?.level) showBounds(state).catch(complain);
    if (isMoved || isOther || state.visits !== before?.visits) showVisits(parts, state).catch(complain);
  };
  store.follow(follow);
  follow(store.state, null);
}

function pairOf({ document, numbers }: Loaded, state: ViewState): PairQuestion | null {
  if (state.a === null || state.b === null) return null;
  const [a, b] = [numbers.get(state.a), numbers.get(state.b)];
  if (a === undefined || b === undefined || a === b) return null;
  const { finding } = state;
  return { a, b, poseA: standingPose(document, state, a), poseB: standingPose(document, state, b), finding };
}

function createPlacer({ loaded: { document, numbers }, stage }: Answerers): (state: ViewState) => void {
  const placed = new Set<string>();
  return (state) => {
    for (const name of movedPoses(document, state).keys()) placed.add(name);
    for (const name of placed) {
      const number = numbers.get(name);
      if (number !== undefined) stage.setPose(number, standingPose(document, state, number));
    }
  };
}

function forget({ stage }: Answerers): void {
  stage.setLine(null);
  stage.setContacts(null);
}

function createQuick({ loaded, store, engine, stage, panels }: Answerers): (state: ViewState) => Promise<void> {
  let isTouching = false;
  /** An outdated answer is still shown, unless it is about another pair. */
  const isOf = (state: ViewState): boolean => isSamePair(state, store.state);
  const askContacts = async (state: ViewState, pair: PairQuestion): Promise<void> => {
    const contacts = await engine.askLatest('contacts', pair);
    if (contacts && isOf(state) && isTouching) stage.setContacts(contacts);
  };
  return async (state) => {
    const pair = pairOf(loaded, state);
    panels.setFull(null);
    if (!pair) {
      panels.setQuick(null);
      return;
    }
    const answer = await engine.askLatest('quick', pair);
    if (!answer || !isOf(state)) return;
    panels.setQuick(answer);
    stage.setLine(answer.line);
    isTouching = answer.verdict === 'contact';
    if (isTouching) await askContacts(state, pair);
    else stage.setContacts(null);
  };
}

async function askFull({ loaded, store, engine, stage, panels }: Answerers, state: ViewState): Promise<void> {
  const pair = pairOf(loaded, state);
  if (!pair) return;
  const answer = await engine.askLatest('full', pair);
  // Drop outdated answers: objects that have moved are asked about again.
  if (!answer || !isStill(state, store.state)) return;
  panels.setFull(answer);
  stage.setContacts(answer.contacts);
  const { witness } = answer.report;
  if (witness) stage.setLine([...witness.a, ...witness.b]);
}

function createBounds({ loaded, store, engine, stage }: Answerers): (state: ViewState) => Promise<void> {
  const { objects } = loaded.document;
  const shapes = new Map<string, Promise<Shape>>();
  const shapeOf = (asset: number, wanted: number): Promise<Shape> => {
    const level = Math.min(wanted, loaded.facts[asset].depth);
    const key = `${asset} ${level}`;
    const found = shapes.get(key) ?? engine.ask('bounds', { asset, level });
    shapes.delete(key);
    shapes.set(key, found);
    if (shapes.size > MOST_SHAPES) shapes.delete(shapes.keys().next().value!);
    return found;
  };
  return async (state) => {
    const { level } = state;
    const sides = [state.a, state.b].map(async (name) => {
      const object = name === null ? undefined : loaded.numbers.get(name);
      return level === null || object === undefined ? null : shapeOf(objects[object].asset, level);
    });
    const [a, b] = await Promise.all(sides);
    if (store.state.level === level && isSamePair(state, store.state)) stage.setBounds(a, b);
  };
}

async function showVisits({ loaded, store, engine, stage, panels }: Answerers, state: ViewState): Promise<void> {
  const { visits: level } = state;
  const pair = pairOf(loaded, state);
  if (level === null || !pair) {
    stage.setVisits(null);
    panels.setVisits(null);
    return;
  }
  const answer = await engine.askLatest('visits', { ...pair, level });
  if (!answer || store.state.visits === null || !isSamePair(state, store.state)) return;
  stage.setVisits(answer);
  panels.setVisits(answer);
}

async function askTouching({ loaded, engine, panels }: Answerers, state: ViewState): Promise<void> {
  const poses = Object.fromEntries(movedPoses(loaded.document, state));
  const answer = await engine.askLatest('touching', { poses });
  if (answer) panels.setTouching(answer.pairs, answer.ms);
}

/** Another finding of the same two may ask something else. */
const isSamePair = (p: ViewState, q: ViewState): boolean => p.a === q.a && p.b === q.b && p.finding === q.finding;
const isStill = (p: ViewState, q: ViewState): boolean => isSamePair(p, q) && p.poses === q.poses && p.frame === q.frame;

export const messageOf = (error: unknown): string => printable(error instanceof Error ? error.message : String(error));
