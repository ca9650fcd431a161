/** Flights of the camera from one view to another. */
import { Spherical, Vector3 } from 'three';
import { laid, stood, type Up } from '../../camera.ts';

export interface View {
  eye: Vector3;
  target: Vector3;
}

/** Milliseconds. */
const FLIGHT = 300;

/**
 * Returns the view at a part of the way. The eye goes around the target, so that it never passes
 * through the objects, and not over the poles, where the picture would turn over.
 *
 * @param part 0 to 1
 */
function viewBetween(from: View, to: View, part: number, up: Up): View {
  const [first, last] = [aroundTarget(from, up), aroundTarget(to, up)];
  // Above the target the side is unknown.
  if (isPole(first)) first.theta = last.theta;
  if (isPole(last)) last.theta = first.theta;
  const half = Math.round((last.theta - first.theta) / (2 * Math.PI));
  const mean = (p: number, q: number): number => p + part * (q - p);
  const place = new Vector3().setFromSphericalCoords(
    first.radius * (last.radius / first.radius) ** part,
    mean(first.phi, last.phi),
    mean(first.theta, last.theta - 2 * Math.PI * half),
  );
  const target = from.target.clone().lerp(to.target, part);
  return { eye: new Vector3(...laid([place.x, -place.z, place.y], up)).add(target), target };
}

/** The eye about the target; Spherical is about y. */
function aroundTarget({ eye, target }: View, up: Up): Spherical {
  const [x, y, z] = stood(eye.clone().sub(target).toArray(), up);
  return new Spherical().setFromCartesianCoords(x, z, -y);
}

const isPole = ({ phi }: Spherical): boolean => Math.sin(phi) < 1e-2;

/** Calls `see` once a frame until the flight ends. */
export function createFlight(see: (view: View) => void, up: Up) {
  let flight: { from: View; to: View; begin: number } | null = null;
  return {
    begin(from: View, to: View): void {
      flight = { from, to, begin: -1 };
    },
    isOn: (): boolean => flight !== null,
    /** @returns true if it continues */
    step(now: number): boolean {
      if (!flight) return false;
      if (flight.begin < 0) flight.begin = now;
      const { from, to, begin } = flight;
      const part = Math.min(1, (now - begin) / FLIGHT);
      if (part === 1) flight = null;
      see(part === 1 ? to : viewBetween(from, to, part * part * (3 - 2 * part), up));
      return flight !== null;
    },
    end(): void {
      flight = null;
    },
    land(): void {
      if (flight) see(flight.to);
      flight = null;
    },
  };
}
