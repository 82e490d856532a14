import { createRig, type Rig } from './rig.ts';

/* Processes of Carat are gone. */

let rig: Rig;

beforeAll(async () => {
  rig = await createRig({ workers: 2 });
});

afterAll(async () => {
  await rig?.stop();
});

/** Ends a worker without a word. */
const kill = async (place: number): Promise<void> => {
  const { pid, exited } = rig.workers[place]!;
  process.kill(pid, 'SIGKILL');
  await exited;
};

it('one of two workers is killed', async () => {
  await rig.named('half of the workers', {
    inject: () => kill(1),
    mend: () => rig.startWorker(1),
    says: /^worker \S+ +down /m,
  });
});

it('every worker is killed', async () => {
  await rig.named('no worker', {
    inject: () => Promise.all([kill(0), kill(1)]),
    mend: () => Promise.all([rig.startWorker(0), rig.startWorker(1)]),
    says: /^workers +down /m,
  });
});
