/** Starts the page: reads the data, connects the parts, and shows errors. */
import type { ReportFinding } from '../../report/finding.ts';
import { knownView } from '../known-view.ts';
import { marksOf } from '../palette.ts';
import { framingQuestion, movedPoses, opened } from '../standing.ts';
import { readView, type ViewState } from '../view-state.ts';
import { followAddress } from './address.ts';
import { followView, messageOf } from './answers.ts';
import { type Data, readData } from './data.ts';
import { startEngine } from './engine-client.ts';
import { createPages } from './image-pages.ts';
import { counted } from './panels/elements.ts';
import { createPanels } from './panels/index.ts';
import type { Engine, Loaded, Panels, Stage, Store, Wishes } from './parts.ts';
import { createStage } from './stage/index.ts';
import { createToolbar } from './stage/toolbar.ts';
import { createStore } from './store.ts';

/**
 * Triangles of the surfaces in the first request; then twice as many each time, because the scene
 * is drawn again after each.
 */
const FEW_TRIANGLES = 20_000;
const PATIENCE = 1500;

async function start(): Promise<void> {
  const app = document.getElementById('app') ?? document.body;
  const data = await readData((done, all) => tell(`Reading ${Math.round((100 * done) / all)} %`));
  const view = data.document;
  tell('Preparing');
  const engine = startEngine({ text: document.getElementById('worker')?.textContent ?? '' });
  const facts = await engine.ask('open', { document: view, files: data.files });
  const loaded: Loaded = { document: view, facts, numbers: new Map(view.objects.map(({ name }, i) => [name, i])) };
  const read = (text: string, say: (problem: string) => void): ViewState => {
    const problems: string[] = [];
    const given = readView(text, (problem) => problems.push(problem));
    const known = knownView(view, given, ({ problem }) => problems.push(problem));
    if (problems.length > 0) say(inOneLine(problems));
    return opened(view, known);
  };
  const store = createStore(read(location.hash, () => {}));
  const stage = createStage(loaded, store);
  const gizmo: Wishes['gizmo'] = (mode) => tools.setHandles(mode);
  const wishes = { ...wishesOf({ loaded, store, stage, engine }, data, () => panels), gizmo };
  const panels: Panels = createPanels(loaded, store, wishes);
  app.replaceChildren(panels.element);
  panels.stagePlace.append(stage.element);
  panels.pagesPlace.append(createPages(loaded, store, engine, stage).element);
  stage.setMarked(marksOf(view));
  const history = followAddress(store, (text) => read(text, (problem) => panels.say(problem, 'problem')));
  const tools = createToolbar(loaded, store, history, stage.setGizmo);
  panels.toolsPlace.append(tools.element);
  panels.cubePlace.append(stage.cube);
  followView({ loaded, store, engine, stage, panels });
  const finding = view.findings.find(({ id }) => id === store.state.finding);
  const framed = finding && store.state.camera === null && wishes.fitFinding(finding);
  await drawSurfaces({ loaded, store, engine, stage }, panels);
  await framed;
  document.documentElement.dataset.ready = 'true';
}

const MOST_TOLD = 3;

function inOneLine(problems: readonly string[]): string {
  const more = problems.length - MOST_TOLD;
  const told = [...problems.slice(0, MOST_TOLD), ...(more > 0 ? [`and ${more} more`] : [])];
  return `this link has parts that this view does not know: ${told.join('; ')}`;
}

function tell(text: string, role: 'status' | 'alert' = 'status'): void {
  const line = document.querySelector('#app [role]');
  line?.setAttribute('role', role);
  if (line) line.textContent = text;
}

async function drawSurfaces({ loaded, store, engine, stage }: Parts, panels: Panels): Promise<void> {
  const { objects, assets } = loaded.document;
  const left = new Set(assets.keys());
  const next = (): number => {
    const pair = [store.state.a, store.state.b].map((name) => loaded.numbers.get(name ?? ''));
    const chosen = pair.map((number) => (number === undefined ? -1 : objects[number].asset));
    return chosen.find((asset) => left.has(asset)) ?? left.values().next().value!;
  };
  let drawn = 0;
  let isTold = false;
  // Surfaces of functions take seconds, and meanwhile the scene seems incomplete.
  const telling = setInterval(() => {
    isTold = true;
    panels.say(`${drawn} of ${assets.length} surfaces are drawn`, 'status');
  }, PATIENCE);
  const draw = async (asset: number): Promise<void> => {
    stage.setSurface(asset, await engine.ask('surface', { asset }));
    drawn++;
  };
  try {
    for (let most = FEW_TRIANGLES; left.size > 0; most *= 2) {
      const some: number[] = [];
      for (let sum = 0; left.size > 0 && sum < most; left.delete(some.at(-1)!)) {
        some.push(next());
        sum += loaded.facts[some.at(-1)!].triangles || most;
      }
      await Promise.all(some.map(draw));
    }
  } finally {
    clearInterval(telling);
  }
  if (isTold) panels.say('', 'status');
}

interface Parts {
  loaded: Loaded;
  store: Store;
  stage: Stage;
  engine: Engine;
}

function wishesOf(
  { loaded, store, stage, engine }: Parts,
  { saving }: Data,
  panels: () => Panels,
): Omit<Wishes, 'gizmo'> {
  const view = loaded.document;
  const complain = (error: unknown): void => panels().say(messageOf(error), 'problem');
  const frame = async (finding: ReportFinding): Promise<void> => {
    const { camera } = store.state;
    const question = framingQuestion(view, store.state, finding);
    if (!question) return stage.fit();
    const from = camera?.eye.map((x, k) => x - camera.target[k]);
    const answer = await engine.askLatest('framing', { ...question, ...(from && { from }) });
    if (!answer || store.state.finding !== finding.id) return;
    store.set({ through: answer.through === null ? null : view.objects[answer.through].name });
    stage.fit(answer);
  };
  const find = async (): Promise<void> => {
    panels().say('Checking the whole scene', 'status');
    const { state } = store;
    const { findings } = await engine.ask('find', { poses: Object.fromEntries(movedPoses(view, state)) });
    await engine.ask('learn', { findings });
    panels().setFindings(findings, state.poses);
    stage.setMarked(marksOf({ ...view, findings }));
    panels().say(
      `${counted(findings.length, 'finding')} where the objects ${state.poses === store.state.poses ? 'stand now' : 'stood then'}`,
      'status',
    );
  };
  return {
    fit: () => stage.fit(),
    fitFinding: (finding) => frame(finding).catch(complain),
    picture: () => stage.picture(),
    find: () => void find().catch(complain),
    ...(saving && { saving }),
  };
}

start().catch((error: unknown) => {
  tell(messageOf(error), 'alert');
  document.documentElement.dataset.ready = 'failed';
  // The printed address may be entered here, and differs only behind the #.
  addEventListener('hashchange', () => location.reload());
});
