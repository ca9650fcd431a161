/** Where objects stand: by hand, by the frame that is shown, or as the document has them. */
import type { ViewDocument } from '../document.ts';
import type { ViewState } from '../view-state.ts';

type Poses = Map<string, readonly number[]>;

export class Places {
  /** What the frames up to `frame` have moved. */
  private moved: Poses = new Map();
  private frame = -1;
  private readonly own: Poses;

  constructor(private readonly view: ViewDocument) {
    this.own = new Map(view.objects.map(({ name, pose }) => [name, pose]));
  }

  /** Where an object stands. */
  of(name: string, { poses, frame }: ViewState): readonly number[] {
    this.goTo(frame ?? -1);
    return (Object.hasOwn(poses, name) ? poses[name] : undefined) ?? this.moved.get(name) ?? this.own.get(name)!;
  }

  /** Who stands elsewhere than in the document, and where. */
  movedBy({ poses, frame }: ViewState): Poses {
    this.goTo(frame ?? -1);
    const all = new Map(this.moved);
    for (const [name, pose] of Object.entries(poses)) if (this.own.has(name)) all.set(name, pose);
    return all;
  }

  /** Frames say who moves, and nothing of the others: they are gone through one by one. */
  private goTo(frame: number): void {
    if (frame < this.frame) {
      this.moved = new Map();
      this.frame = -1;
    }
    const last = Math.min(frame, this.view.frames.length - 1);
    while (this.frame < last)
      for (const [name, pose] of Object.entries(this.view.frames[++this.frame].poses)) this.moved.set(name, pose);
  }
}
