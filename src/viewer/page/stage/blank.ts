/** The stage of a browser that draws nothing in space: it says so, and everything else works. */
import type { Stage } from '../parts.ts';

const nothing = (): void => {};

export function createBlankStage(element: HTMLElement): Stage {
  const note = document.createElement('p');
  note.className = 'stage-note';
  note.setAttribute('role', 'status');
  note.textContent = 'This browser draws nothing in space: it has no WebGL 2. Everything else answers.';
  element.append(note);
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
