/** The page: reads what it shows, puts its parts together, and shows what goes wrong. */
import type { ReportFinding } from '../../report/model.ts';
import { begun } from '../begin.ts';
import { aroundBox, type Box, boxAround } from '../camera.ts';
import { marksOf } from '../marks.ts';
import { readView, type ViewState } from '../view-state.ts';
import { followAddress } from './address.ts';
import { followView, messageOf } from './answers.ts';
import { type Data, readData } from './data.ts';
import { startEngine } from './engine-client.ts';
import { Places } from './frames.ts';
import { createPages } from './gi-pages.ts';
import { createPanels } from './panels/index.ts';
import type { Engine, Loaded, Panels, Stage, Store, Wishes } from './parts.ts';
import { createStage } from './stage/index.ts';
import { createStore } from './store.ts';

/** Frames that are looked at before the page is drawn again. */
const FRAMES_A_TURN = 8;

async function start(): Promise<void> {
  const app = document.getElementById('app') ?? document.body;
  const data = await readData((done, all) => tell(`Reading ${Math.round((100 * done) / all)} %`));
  const view = data.document;
  tell('Preparing');
  const engine = startEngine({ text: document.getElementById('worker')?.textContent ?? '' });
  const facts = await engine.ask('open', { document: view, files: data.files });
  const loaded: Loaded = { document: view, facts, numbers: new Map(view.objects.map(({ name }, i) => [name, i])) };
  const read = (text: string): ViewState => begun(view, readView(text));
  const store = createStore(read(location.hash));
  const places = new Places(view);
  const stage = createStage(loaded, store);
  const wishes = wishesOf({ loaded, store, stage, engine, places }, data, () => panels);
  const panels: Panels = createPanels(loaded, store, wishes);
  app.replaceChildren(panels.element);
  panels.stagePlace.append(stage.element);
  panels.pagesPlace.append(createPages(loaded, store, engine, stage).element);
  stage.setMarked(marksOf(view));
  followAddress(store, read);
  followView({ loaded, store, engine, stage, panels, places });
  await drawSurfaces(loaded, store, engine, stage);
  const finding = view.findings.find(({ id }) => id === store.state.finding);
  if (finding && store.state.camera === null) wishes.fitFinding(finding);
  document.documentElement.dataset.ready = 'true';
}

/** Says how far it is, before the panels can. */
function tell(text: string, role: 'status' | 'alert' = 'status'): void {
  const line = document.querySelector('#app [role]');
  line?.setAttribute('role', role);
  if (line) line.textContent = text;
}

/** All assets' triangles, those of the pair first. */
async function drawSurfaces(loaded: Loaded, store: Store, engine: Engine, stage: Stage): Promise<void> {
  const { objects, assets } = loaded.document;
  const { a, b } = store.state;
  const chosen = [a, b].flatMap((name) => {
    const number = name === null ? undefined : loaded.numbers.get(name);
    return number === undefined ? [] : [objects[number].asset];
  });
  for (const asset of new Set([...chosen, ...assets.keys()]))
    stage.setSurface(asset, await engine.ask('surface', { asset }));
}

interface Parts {
  loaded: Loaded;
  store: Store;
  stage: Stage;
  engine: Engine;
  places: Places;
}

function wishesOf({ loaded, store, stage, engine, places }: Parts, { save }: Data, panels: () => Panels): Wishes {
  const view = loaded.document;
  const complain = (error: unknown): void => panels().say(messageOf(error), 'problem');
  const find = async (): Promise<void> => {
    panels().say('Asking the whole scene', 'status');
    const poses = Object.fromEntries(places.movedBy(store.state));
    const { findings } = await engine.ask('find', { poses });
    panels().setFindings(findings);
    stage.setMarked(marksOf({ ...view, findings }));
    panels().say(`${findings.length} findings where the objects stand now`, 'status');
  };
  const scan = async (): Promise<void> => {
    const has: boolean[] = [];
    for (let frame = 0; frame < view.frames.length; frame++) {
      const poses = Object.fromEntries(places.movedBy({ ...store.state, frame }));
      const { pairs } = await engine.ask('touching', { poses });
      has.push(pairs.length > 0);
      if (frame % FRAMES_A_TURN === 0) panels().setContactFrames(has);
    }
    panels().setContactFrames(has);
  };
  return {
    fit: () => stage.fit(),
    fitFinding: (finding) => stage.fit(boxOfFinding(finding, { loaded, store, places })),
    gizmo: (mode) => stage.setGizmo(mode),
    find: () => void find().catch(complain),
    scanFrames: () => void scan().catch(complain),
    ...(save && { save }),
  };
}

/** What is in view of a finding; undefined for everything. */
function boxOfFinding(
  { box, subjects }: ReportFinding,
  { loaded, store, places }: Pick<Parts, 'loaded' | 'store' | 'places'>,
): Box | undefined {
  const both = boxAround(
    subjects.flatMap(({ name }) => {
      const number = loaded.numbers.get(name);
      if (number === undefined) return [];
      return [[loaded.facts[loaded.document.objects[number].asset], places.of(name, store.state)] as const];
    }),
  );
  return (box && aroundBox(box, both ?? box)) ?? both ?? undefined;
}

start().catch((error: unknown) => {
  tell(messageOf(error), 'alert');
  document.documentElement.dataset.ready = 'failed';
});
