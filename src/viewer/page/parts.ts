/**
 * The parts of the page and what they owe each other. The store holds the view's state, and
 * everyone follows it; the stage draws, the panels are what is typed and read, the engine answers.
 * main.ts puts them together, and alone knows all of them.
 */
import type { ReportFinding } from '../../report/model.ts';
import type { Box } from '../camera.ts';
import type { ViewDocument } from '../document.ts';
import type { Answer, AssetFacts, FullAnswer, Name, Question, QuickAnswer, Shape, Visits } from '../protocol.ts';
import type { ViewState } from '../view-state.ts';

/** The state of the view. Nobody keeps a copy: who needs it asks, or follows. */
export interface Store {
  readonly state: ViewState;
  /** Changes some of it; who follows is told once, when the current task ends. */
  set(changes: Partial<ViewState>): void;
  /** @returns a function that ends it */
  follow(listener: (state: ViewState, before: ViewState) => void): () => void;
}

/** The library in workers. */
export interface Engine {
  ask<N extends Name>(name: N, question: Question<N>): Promise<Answer<N>>;
  /**
   * As `ask`, of questions that come faster than answers: one is on its way, the last one waits,
   * and those between are never asked: their promises give null.
   */
  askLatest<N extends Name>(name: N, question: Question<N>): Promise<Answer<N> | null>;
  close(): void;
}

/** What is known of the document besides itself. */
export interface Loaded {
  document: ViewDocument;
  /** In the order of its assets. */
  facts: AssetFacts[];
  /** By the names of its objects: their numbers. */
  numbers: ReadonlyMap<string, number>;
}

/**
 * The drawing. It follows the store by itself; it sets `camera`, and `poses` and `a`, `b` where
 * somebody drags and points.
 */
export interface Stage {
  readonly element: HTMLElement;
  /** Draws an asset's triangles from now on wherever one of its objects stands. */
  setSurface(asset: number, shape: Shape): void;
  /** Moves an object, at once: of frames, too. */
  setPose(object: number, pose: ArrayLike<number>): void;
  /**
   * What is drawn over a and over b as bounds of a level, in the frames of their assets; null:
   * nothing.
   */
  setBounds(a: Shape | null, b: Shape | null): void;
  setVisits(visits: Visits | null): void;
  /** The nearest points; null where the two touch, or nothing is known. */
  setLine(line: readonly number[] | null): void;
  /** Curves, areas and points that the two have in common. */
  setContacts(contacts: FullAnswer['contacts'] | null): void;
  /** Marks objects by how they are: `red` those in a finding or in contact. */
  setMarked(objects: ReadonlyMap<number, 'error' | 'warning' | 'note'>): void;
  /** A mark at a place of the common frame; null: none. */
  setPointer(place: readonly number[] | null): void;
  /**
   * Somebody points at a place of a surface: the object, and x, y, z in the frame of its asset;
   * null: at none.
   */
  onPoint(listener: (place: { object: number; place: [number, number, number] } | null) => void): void;
  /**
   * Moves the camera so that a box of the common frame fills the view, from the side where it is
   * unless one is given; without a box, everything, from the usual side.
   */
  fit(framing?: { box: Box; direction?: readonly number[] }): void;
  /** What moves when somebody drags: nothing, along axes, about axes. */
  setGizmo(mode: 'none' | 'move' | 'turn'): void;
  /** Draws now, and says what was drawn: for tests and pictures. */
  render(): { calls: number; triangles: number };
  dispose(): void;
}

/** What is typed and read. The panels follow the store, too. */
export interface Panels {
  /** All of the page: header, main, asides, footer. */
  readonly element: HTMLElement;
  /** Where the stage's element goes, and below it the pages of geometry images. */
  readonly stagePlace: HTMLElement;
  readonly pagesPlace: HTMLElement;
  setQuick(answer: QuickAnswer | null): void;
  /** Null while the objects move. */
  setFull(answer: FullAnswer | null): void;
  setVisits(visits: Visits | null): void;
  /** What touches in this frame. */
  setTouching(pairs: { a: string; b: string; class: string }[], ms: number): void;
  setFindings(findings: readonly ReportFinding[]): void;
  /** Whether something touches, by the number of the frame; undefined where nobody has looked. */
  setContactFrames(frames: readonly (boolean | undefined)[]): void;
  /** One line for the person, as an alert where it is a problem. */
  say(text: string, kind: 'status' | 'problem'): void;
}

/** What the panels ask for that is no state. */
export interface Wishes {
  fit(): void;
  fitFinding(finding: ReportFinding): void;
  gizmo(mode: 'none' | 'move' | 'turn'): void;
  /** All findings anew, where the objects stand now. */
  find(): void;
  /** Writes accepted findings and notes to the baseline; absent where nothing can be saved. */
  save?(changes: { id: string; accepted: boolean; note: string | null }[]): Promise<void>;
  /** Marks which frames have contacts: computed once, told by `setContactFrames`. */
  scanFrames(): void;
}
