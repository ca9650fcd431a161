/**
 * A cube that turns as the picture does. A click on a face looks from there; a face with the
 * keyboard focus turns to the front, so that it is visible.
 */
import { laid, type Up } from '../../camera.ts';
import { button, make } from '../panels/elements.ts';
import type { Eye } from './camera-controls.ts';

/** The place of a face with z up, and the turn of the front there. */
const FACES: readonly (readonly [name: string, direction: readonly [number, number, number], turn: string])[] = [
  ['front', [0, -1, 0], ''],
  ['back', [0, 1, 0], 'rotateY(180deg)'],
  ['right', [1, 0, 0], 'rotateY(90deg)'],
  ['left', [-1, 0, 0], 'rotateY(-90deg)'],
  ['top', [0, 0, 1], 'rotateX(90deg)'],
  ['bottom', [0, 0, -1], 'rotateX(-90deg)'],
];

/** Slightly from the front: straight from above, no direction is up. */
const TILT = 1e-3;

export function createViewCube(eye: Eye, up: Up = 'z'): HTMLElement {
  const cube = make('div', { class: 'cube' });
  let turned = '';
  const turn = (transform: string): void => {
    cube.style.transform = transform;
  };
  for (const [name, [x, y, z], place] of FACES) {
    const face = button(name, () => eye.look(laid([x, y || -TILT * Math.abs(z), z], up)), {
      title: `Look from the ${name}`,
    });
    face.style.transform = `${place} translateZ(24px)`;
    face.addEventListener('focus', () => face.matches(':focus-visible') && turn(backOf(place)));
    face.addEventListener('blur', () => turn(turned));
    cube.append(face);
  }
  eye.onTurn(({ matrixWorldInverse }) => {
    const { elements: m } = matrixWorldInverse;
    // The cube's x, y and z are to the right, down and to the front; the screen's y is down.
    const columns = [laid([1, 0, 0], up), laid([0, 0, -1], up), laid([0, -1, 0], up)].map((axis) =>
      [0, 1, 2].map((row) => (row === 1 ? -1 : 1) * axis.reduce((sum, a, k) => sum + m[4 * k + row] * a, 0)),
    );
    turned = `matrix3d(${columns.map((column) => [...column.map((c) => c.toFixed(5)), 0]).join()},0,0,0,1)`;
    turn(turned);
  });
  return make('div', { class: 'view-cube', role: 'group', 'aria-label': 'Look from' }, cube);
}

/** The turn that brings a face to the front. */
const backOf = (place: string): string => place.replace(/-?\d+/, (degrees) => String(-Number(degrees)));
