/**
 * Runs within the page, which gets its text: everything that a page can send without being asked, and whatever it can read of the answers.
 *
 * @param targets `post` is where a POST would spend, or change something, `get` where a GET would tell something
 * @returns each answer that the page could read, by how it was asked for
 */
export async function attackFromPage({ post, get }) {
  const readings = [];
  const body = '{"model":"gpt-4o","messages":[{"role":"user","content":"spend"}]}';
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json'];
  const read = async (how, url, init) => {
    try {
      const answer = await fetch(url, init);
      const text = await answer.text();
      // An opaque answer has neither status nor text.
      if (answer.status !== 0 || text !== '') readings.push(`${how} ${url}: ${answer.status} ${text.slice(0, 200)}`);
    } catch {
      // What the browser keeps from the page.
    }
  };
  const attempts = types.flatMap((type) => [
    read(`POST ${type}`, post, { method: 'POST', body, headers: { 'content-type': type } }),
    read(`no-cors ${type}`, post, { method: 'POST', body, mode: 'no-cors', headers: { 'content-type': type } }),
  ]);
  attempts.push(
    read('GET', get, {}),
    read('GET with credentials', get, { credentials: 'include' }),
    read('GET with a header', get, { headers: { 'x-agent-name': 'somebody' } }),
    read('no-cors GET', get, { mode: 'no-cors' }),
    read('PUT', post, { method: 'PUT', body }),
  );
  await Promise.all(attempts);
  navigator.sendBeacon(post, new Blob([body], { type: 'text/plain' }));

  const ended = (element, src) =>
    new Promise((resolve) => {
      element.onload = element.onerror = () => resolve();
      src();
      document.body.append(element);
      setTimeout(resolve, 2_000);
    });
  const image = document.createElement('img');
  const script = document.createElement('script');
  const frame = document.createElement('iframe');
  await Promise.all([
    ended(image, () => {
      image.src = get;
    }),
    ended(script, () => {
      script.src = get;
    }),
    ended(frame, () => {
      frame.src = get;
    }),
  ]);
  frame.name = `answers of ${post}`;
  const form = document.createElement('form');
  Object.assign(form, { method: 'POST', action: post, enctype: 'text/plain', target: frame.name });
  const field = document.createElement('input');
  Object.assign(field, { name: body.slice(0, -2), value: '"}' });
  form.append(field);
  document.body.append(form);
  await new Promise((resolve) => {
    frame.onload = () => resolve();
    form.submit();
    setTimeout(resolve, 2_000);
  });
  await new Promise((resolve) => {
    const source = new EventSource(get);
    source.onmessage = ({ data }) => readings.push(`EventSource ${get}: ${data}`);
    source.onopen = () => readings.push(`EventSource ${get} is open`);
    source.onerror = () => {
      source.close();
      resolve();
    };
  });
  await new Promise((resolve) => {
    const socket = new WebSocket(get.replace(/^http/, 'ws'));
    socket.onopen = () => readings.push(`WebSocket ${get} is open`);
    socket.onclose = () => resolve();
  });
  return readings;
}
