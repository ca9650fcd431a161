/** The stage of a browser that draws nothing in space: it says so, and everything else works. */
import { make } from '../panels/elements.ts';
import type { Stage } from '../parts.ts';

const nothing = (): void => {};

export function createBlankStage(element: HTMLElement): Stage {
  const note = 'This browser draws nothing in space: it has no WebGL 2. Everything else answers.';
  element.append(make('p', { class: 'stage-note', role: 'status' }, note));
  return {
    element,
    setSurface: nothing,
    setPose: nothing,
    setBounds: nothing,
    setVisits: nothing,
    setLine: nothing,
    setContacts: nothing,
    setMarked: nothing,
    setPointer: nothing,
    onPoint: nothing,
    fit: nothing,
    setGizmo: nothing,
    render: () => ({ calls: 0, triangles: 0 }),
    dispose: () => element.remove(),
  };
}
