/** Whether the long checks were asked for: `npm run test:long`. */
export const long = (import.meta as { env?: { MODE?: string } }).env?.MODE === 'long';
