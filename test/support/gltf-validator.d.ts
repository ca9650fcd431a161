/** What tests ask of Khronos' validator, which has no types. */
declare module 'gltf-validator' {
  export function validateBytes(bytes: Uint8Array): Promise<{
    issues: { numErrors: number; numWarnings: number; messages: { code: string; message: string }[] };
  }>;
}
