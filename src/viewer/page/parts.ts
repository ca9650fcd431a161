/**
 * The interfaces of the page's parts. The store holds the view state, and all parts follow it. The
 * stage draws, the panels handle text and input, the engine answers. main.ts connects them.
 */
import type { ReportFinding } from '../../report/finding.ts';
import type { Box } from '../camera.ts';
import type { BaselineChange, BaselineNews, ViewDocument } from '../document.ts';
import type { Answer, AssetFacts, FullAnswer, Name, Question, QuickAnswer, Shape, Visits } from '../protocol.ts';
import type { ViewState } from '../view-state.ts';

/** The view state. Parts read or follow it and keep no copy. */
export interface Store {
  readonly state: ViewState;
  /** True while the user drags something: steps of undo wait. */
  isHeld: boolean;
  /** Changes some properties; followers are notified once, after the current task. */
  set(changes: Partial<ViewState>): void;
  follow(listener: (state: ViewState, before: ViewState) => void): () => void;
}

export interface Engine {
  ask<N extends Name>(name: N, question: Question<N>): Promise<Answer<N>>;
  /** Like `ask`, but only the latest question waits for the pending one; skipped ones give null. */
  askLatest<N extends Name>(name: N, question: Question<N>): Promise<Answer<N> | null>;
  close(): void;
}

export interface Loaded {
  document: ViewDocument;
  facts: AssetFacts[];
  numbers: ReadonlyMap<string, number>;
}

/** The drawing. It follows the store; the camera, drags and clicks also change it. */
export interface Stage {
  readonly element: HTMLElement;
  /** Shows the direction of view, and changes it. */
  readonly cube: HTMLElement;
  setSurface(asset: number, shape: Shape): void;
  setPose(object: number, pose: ArrayLike<number>): void;
  /** Draws bounds over a and b, in their assets' frames; null: none. */
  setBounds(a: Shape | null, b: Shape | null): void;
  setVisits(visits: Visits | null): void;
  setLine(line: readonly number[] | null): void;
  setContacts(contacts: FullAnswer['contacts'] | null): void;
  setMarked(objects: ReadonlyMap<number, 'error' | 'warning' | 'note'>): void;
  setPointer(place: readonly number[] | null): void;
  /** Reports the object and the place on its surface, in the asset's frame; null: none. */
  onPoint(listener: (place: { object: number; place: [number, number, number] } | null) => void): void;
  /** Shows a box of the common frame, or everything shown, from `direction` or the current side. */
  fit(framing?: { box: Box; direction?: readonly number[] }): void;
  setGizmo(mode: 'none' | 'move' | 'turn'): void;
  render(): { calls: number; triangles: number };
  /** Draws the view on white paper, to be printed; null without WebGL. */
  picture(): HTMLCanvasElement | null;
  dispose(): void;
}

export interface Panels {
  readonly element: HTMLElement;
  readonly stagePlace: HTMLElement;
  readonly pagesPlace: HTMLElement;
  /** Over the picture, at the lower left. */
  readonly toolsPlace: HTMLElement;
  /** Over the picture, at the upper right. */
  readonly cubePlace: HTMLElement;
  setQuick(answer: QuickAnswer | null): void;
  /** Null while the objects move. */
  setFull(answer: FullAnswer | null): void;
  setVisits(visits: Visits | null): void;
  setTouching(pairs: { a: string; b: string; class: string }[], ms: number): void;
  /** @param poses the poses of moved objects when these were found */
  setFindings(findings: readonly ReportFinding[], poses: ViewState['poses']): void;
  /** Shows one line to the user; problems as an alert. */
  say(text: string, kind: 'status' | 'problem'): void;
}

/** The baseline behind the page. @throws Ended if the server has ended */
export interface Saving {
  /** Null if nothing has changed since the last answer. */
  look(): Promise<BaselineNews | null>;
  save(changes: BaselineChange[]): Promise<BaselineNews>;
}

export interface Wishes {
  fit(): void;
  /** Finds the direction from which a finding is visible, and goes there. */
  fitFinding(finding: ReportFinding): Promise<void>;
  gizmo(mode: 'none' | 'move' | 'turn'): void;
  find(): void;
  /** The view on white paper, to be printed; null if there is none. */
  picture(): HTMLCanvasElement | null;
  /** Absent if nothing can be saved. */
  saving?: Saving;
}
