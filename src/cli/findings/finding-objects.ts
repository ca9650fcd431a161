/** Makes the objects of findings printed by `scene --json` from their files again. */
import { validatePose } from '../../math/pose.ts';
import { loadScene } from '../../scene/load.ts';
import type { Party, SceneObject } from '../../scene/records.ts';
import { readScene, type SceneModel } from '../../scene/scene-file.ts';
import { readingOf } from '../inputs/load.ts';
import { openerBeside } from '../inputs/mesh.ts';
import type { NamedSession } from '../session.ts';

/** An object, or one line that says why it is missing. */
export type Made = SceneObject | { problem: string };

/** Makes one object per party, in order. Objects of one file share its asset. */
export async function objectsOf(parties: readonly Party[], session: NamedSession): Promise<Made[]> {
  const made: Made[] = [];
  const ofUnits = new Map<string | null, number[]>();
  for (const [n, { units }] of parties.entries()) {
    const unit = units?.scene ?? null;
    ofUnits.set(unit, [...(ofUnits.get(unit) ?? []), n]);
  }
  for (const [unit, numbers] of ofUnits) {
    const some = await objectsInUnits(
      numbers.map((n) => parties[n]),
      unit,
      session,
    );
    for (const [i, n] of numbers.entries()) made[n] = some[i];
  }
  return made;
}

/** The instance that a party's object belongs to, and its name there. */
interface Place {
  instance: string;
  wanted: string;
}

async function objectsInUnits(parties: readonly Party[], units: string | null, session: NamedSession): Promise<Made[]> {
  const assets: SceneModel['assets'] = {};
  const instances: SceneModel['instances'] = [];
  const known = new Map<string, string>();
  const named = (key: string, add: (name: string) => void): string => {
    const name = known.get(key) ?? `${known.size}`;
    if (!known.has(key)) add(name);
    known.set(key, name);
    return name;
  };
  const places = parties.map(({ file, element, split, placement = {}, units: own }): Place => {
    const model = { file: file!, ...(split && { split }), ...(own?.file != null && { units: own.file }) };
    const asset = named(`asset ${JSON.stringify(model)}`, (name) => {
      assets[name] = model;
    });
    const instance = named(`instance ${JSON.stringify([asset, placement])}`, (name) => {
      instances.push({ name, asset, ...placement });
    });
    return { instance, wanted: split ? `${instance}/${element}` : instance };
  });
  // Findings may contain anything, so the scene's reader validates them.
  const model = readScene({ gicollide: 'scene/1', ...(units !== null && { units }), assets, instances });
  const all = new Set(places.map(({ wanted }) => wanted));
  const isWanted = (name: string): boolean => all.has(name);
  const openBeside = (path: string) => openerBeside(path, session);
  const { objects, unchecked } = await loadScene(model, { ...readingOf(session), openBeside, isWanted });
  const byName = new Map(objects.map((object) => [object.name, object]));
  return parties.map((party, n): Made => {
    const { instance, wanted } = places[n];
    const found = byName.get(wanted);
    if (found) return placed(found, party, session);
    const failed = unchecked.find(({ names }) => names.includes(instance) || names.includes(wanted));
    const none = `${party.file}: expected an object ${JSON.stringify(party.element)}, found none of that name`;
    return { problem: failed?.problem ?? none };
  });
}

/** Poses are the same up to this relative difference: scales may be shared. */
const SAME_PLACE = 1e-5;

function placed(found: SceneObject, { name, file, sha256, pose }: Party, session: NamedSession): SceneObject {
  if (found.sha256 !== sha256) session.log.warn(`${file}: has changed since it was found`);
  // A robot's links are where its joints put them.
  const isThere = found.pose!.every((x, i) => Math.abs(x - pose[i]) <= SAME_PLACE * Math.max(1, Math.abs(x)));
  return { ...found, name, pose: isThere ? found.pose! : validatePose(pose, `the pose of ${name}`) };
}
