/** Decoders for glTF's meshes: meshopt's, and Draco's if installed. */
import type { PlatformIO } from '@gltf-transform/core';
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { loadPackage } from './accessors.ts';

/**
 * @param draco most points of any Draco mesh; 0 for none, and Draco's decoder is not loaded
 * @param components of each attribute that Draco is asked for, in order
 */
export async function addDecoders(io: PlatformIO, draco: number, components: readonly number[]): Promise<void> {
  const { EXTMeshoptCompression, KHRDracoMeshCompression } =
    await loadPackage<typeof import('@gltf-transform/extensions')>('@gltf-transform/extensions');
  await MeshoptDecoder.ready;
  io.registerExtensions([EXTMeshoptCompression]).registerDependencies({ 'meshopt.decoder': MeshoptDecoder });
  if (draco === 0) return;
  io.registerExtensions([KHRDracoMeshCompression]).registerDependencies({
    'draco3d.decoder': guarded(await dracoModule(), draco, components),
  });
}

interface DracoModule {
  Decoder: new () => DracoDecoder;
}

interface DracoDecoder {
  DecodeBufferToMesh(buffer: unknown, mesh: DracoMesh): { ok(): boolean };
  GetAttributeByUniqueId(mesh: DracoMesh, id: number): { ptr: number; num_components(): number };
}

interface DracoMesh {
  num_points(): number;
}

/** A module for each file, so that a broken file's memory affects no other. */
async function dracoModule(): Promise<DracoModule> {
  const draco = await loadPackage<{ default: { createDecoderModule(options: object): Promise<DracoModule> } }>(
    'draco3dgltf',
  );
  return draco.default.createDecoderModule({ print() {}, printErr() {} });
}

/**
 * Refuses what gltf-transform would accept: a missing attribute, and one with other components.
 */
function guarded(module: DracoModule, mostPoints: number, components: readonly number[]): DracoModule {
  let asked = 0;
  class Decoder extends module.Decoder {
    override DecodeBufferToMesh(buffer: unknown, mesh: DracoMesh): { ok(): boolean } {
      const status = super.DecodeBufferToMesh(buffer, mesh);
      if (status.ok() && mesh.num_points() > mostPoints) throw new Error(`${mesh.num_points()} points`);
      return status;
    }

    override GetAttributeByUniqueId(mesh: DracoMesh, id: number): { ptr: number; num_components(): number } {
      const attribute = super.GetAttributeByUniqueId(mesh, id);
      if (attribute.ptr === 0) throw new Error(`no attribute ${id}`);
      const [expected, found] = [components[asked++], attribute.num_components()];
      if (found !== expected) throw new Error(`${found} components in place of ${expected} in attribute ${id}`);
      return attribute;
    }
  }
  // The memory's views change as it grows, so they come from the module itself.
  return Object.assign(Object.create(module), { Decoder });
}
