/** `scene --device`: finds touching pairs on a GPU, frame after frame. */
import type { StepsOptions } from '../scene/records.ts';
import type { PlacedScene } from '../scene/scene.ts';
import type { DeviceName } from './arguments.ts';
import { openDevice, warnOfAssets, warnOfGpu } from './gpu-device.ts';
import type { Session } from './session.ts';

/** From this many objects on `auto` uses a GPU: a core takes milliseconds for such a frame. */
const MANY_OBJECTS = 1000;

/** Steps through frames with or without a GPU: the answer is the same. */
export async function stepOnGpu<Answer>(
  name: DeviceName = 'cpu',
  { forDevice, objects }: PlacedScene,
  session: Session,
  run: (stepping: StepsOptions) => Promise<Answer>,
): Promise<Answer> {
  if (forDevice === 0)
    warnOfAssets(
      name,
      objects.map(({ asset }) => asset),
      session,
    );
  const wish = { name, isWorthIt: forDevice >= MANY_OBJECTS };
  const device = forDevice > 0 ? await openDevice(wish, session) : undefined;
  if (!device) return run({});
  try {
    return await run({ device, onAlone: (error) => warnOfGpu(name, error, session) });
  } finally {
    device.close();
  }
}
