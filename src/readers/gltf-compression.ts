/** What decompresses glTF's meshes: meshopt's decoder, and Draco's where it is installed. */
import type { PlatformIO } from '@gltf-transform/core';
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { loadPackage } from './gltf-packages.ts';

/**
 * Has gltf-transform decompress what it meets.
 *
 * @param draco points of any mesh that Draco has compressed, at most; 0 where there is none, and
 *   Draco's decoder is not asked for
 * @throws FormatError where that is asked for and is not installed
 */
export async function addDecoders(io: PlatformIO, draco: number): Promise<void> {
  const { EXTMeshoptCompression, KHRDracoMeshCompression } =
    await loadPackage<typeof import('@gltf-transform/extensions')>('@gltf-transform/extensions');
  await MeshoptDecoder.ready;
  io.registerExtensions([EXTMeshoptCompression]).registerDependencies({ 'meshopt.decoder': MeshoptDecoder });
  if (draco === 0) return;
  io.registerExtensions([KHRDracoMeshCompression]).registerDependencies({
    'draco3d.decoder': guarded(await dracoModule(), draco),
  });
}

/** What we ask of Draco's objects; gltf-transform asks for more. */
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

/** A module of its own for each file: what a broken one leaves in its memory, no other meets. */
async function dracoModule(): Promise<DracoModule> {
  const draco = await loadPackage<{ default: { createDecoderModule(options: object): Promise<DracoModule> } }>(
    'draco3dgltf',
  );
  return draco.default.createDecoderModule({ print() {}, printErr() {} });
}

/**
 * The module with a decoder that refuses what gltf-transform would take: an attribute that is not
 * there, whose memory it would read, and one that is no position.
 */
function guarded(module: DracoModule, mostPoints: number): DracoModule {
  class Decoder extends module.Decoder {
    override DecodeBufferToMesh(buffer: unknown, mesh: DracoMesh): { ok(): boolean } {
      const status = super.DecodeBufferToMesh(buffer, mesh);
      if (status.ok() && mesh.num_points() > mostPoints) throw new Error(`${mesh.num_points()} points`);
      return status;
    }

    override GetAttributeByUniqueId(mesh: DracoMesh, id: number): { ptr: number; num_components(): number } {
      const attribute = super.GetAttributeByUniqueId(mesh, id);
      if (attribute.ptr === 0) throw new Error(`no attribute ${id}`);
      if (attribute.num_components() !== 3) throw new Error(`${attribute.num_components()} coordinates a position`);
      return attribute;
    }
  }
  // Its memory's views change as it grows: they are looked up in the module itself.
  return Object.assign(Object.create(module), { Decoder });
}
