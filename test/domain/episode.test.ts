import { createEpisode, createEpisodes } from '../../domain/tools/episode.ts';
import { createBackground } from '../../outbox/topics.ts';

const record = () => {
  const told: string[] = [];
  return { told, tell: (what: string) => () => void told.push(what) };
};

it('a trouble is reported when it begins, when it changes, and when it ends', () => {
  const { told, tell } = record();
  const episode = createEpisode();
  episode.ends(tell('nothing'));
  for (const which of ['a', 'a', 'b', 'b']) episode.begins(tell(which), which);
  for (let count = 0; count < 2; count += 1) episode.ends(tell('over'));
  episode.begins(tell('again'));
  expect(told).toEqual(['a', 'b', 'over', 'again']);
});

it('each trouble is reported by itself, and again once it was forgotten', () => {
  const { told, tell } = record();
  const episodes = createEpisodes(2);
  for (const what of ['a', 'b', 'a', 'b']) episodes.begins(what, tell(what));
  episodes.ends('a', tell('a over'));
  episodes.ends('a', tell('a over'));
  for (const what of ['c', 'd', 'd']) episodes.begins(what, tell(what));
  episodes.begins('b', tell('b'));
  expect(told).toEqual(['a', 'b', 'a over', 'c', 'd', 'b']);
});

it("background work that fails again and again logs one line when it begins to fail and one when it works again, without the error's text", async () => {
  const { told } = record();
  const line = (text: string, fields?: object): void => void told.push(`${text} ${JSON.stringify(fields ?? null)}`);
  const background = createBackground({ debug: line, info: line, warn: line, error: line });
  const failing = (): Promise<void> => Promise.reject(new TypeError('select secret from table'));
  for (const work of [failing, failing, failing, () => Promise.resolve(), () => Promise.resolve()]) {
    await background.run('the loop', work);
  }
  expect(told).toEqual([
    'Outbox: the loop failed; retrying {"error":"TypeError"}',
    'Outbox: the loop works again null',
  ]);
});
