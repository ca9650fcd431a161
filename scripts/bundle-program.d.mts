export interface Bundle {
  outputs: Record<string, { bytes: number; inputs: Record<string, { bytesInOutput: number }> }>;
}
export function bundleProgram(folder?: string): Promise<Bundle>;
