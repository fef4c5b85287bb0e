// Keeps an open page up to date. Without this script every page still works: it is only older.
"use strict";
(() => {
  const body = document.body;
  if (!body.dataset.stream || !window.EventSource) return;
  const SILENCE = 40_000; // the server says something every 15 seconds
  const LONGEST = 30_000; // between two attempts to come back
  const connection = document.getElementById("connection");
  const news = document.getElementById("news");
  let source = null;
  let heard = Date.now();
  let delay = 1000;
  let attempt = 0; // the timer of the next one
  let clock = 0; // the timer of the slot's end

  function connect() {
    source?.close();
    source = new EventSource(body.dataset.stream);
    source.onmessage = (event) => {
      heard = Date.now();
      delay = 1000;
      connection.textContent = "";
      if (event.data !== body.dataset.mark) refresh().catch(lost);
    };
    source.onerror = lost;
  }

  function lost() {
    source?.close();
    source = null;
    connection.textContent = "Connection lost. What you see may be out of date; trying again.";
    clearTimeout(attempt);
    attempt = setTimeout(back, delay * (0.75 + Math.random() / 2));
    delay = Math.min(2 * delay, LONGEST);
  }

  // A page that can be fetched says all; one that cannot says whether to sign in or to wait.
  function back() {
    clearTimeout(attempt);
    refresh().then(connect, lost);
  }

  async function refresh() {
    const here = location.pathname === body.dataset.page;
    const answer = await fetch(here ? location.href : body.dataset.page);
    if (answer.status === 401) location.reload(); // it asks to sign in
    if (!answer.ok) throw new Error(`the page answers ${answer.status}`);
    show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  }

  function show(page) {
    let changed = false;
    for (const old of document.querySelectorAll("[data-live]")) {
      const fresh = page.getElementById(old.id);
      if (!fresh) continue;
      for (const open of old.querySelectorAll("details[open]")) {
        const same = open.id && fresh.querySelector(`#${CSS.escape(open.id)}`);
        if (same) same.open = true;
      }
      if (old.isEqualNode(fresh) || busy(old)) continue;
      const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
      old.replaceWith(document.adoptNode(fresh));
      if (focused) document.getElementById(focused)?.focus();
      changed = true;
    }
    body.dataset.mark = page.body.dataset.mark;
    body.dataset.wait = page.body.dataset.wait ?? "";
    if (changed) news.textContent = `Updated at ${new Date().toLocaleTimeString()}.`;
    await_clock();
  }

  // Whoever is typing keeps what they have typed.
  function busy(section) {
    const typed = [...section.querySelectorAll("input:not([type=hidden]), textarea")];
    return typed.some((input) => input.value !== input.defaultValue);
  }

  function await_clock() {
    clearTimeout(clock);
    const seconds = Number(body.dataset.wait);
    if (seconds > 0) clock = setTimeout(() => refresh().catch(lost), Math.min(seconds, 86_400) * 1000);
  }

  setInterval(() => {
    if (source && Date.now() - heard > SILENCE) lost();
  }, 5000);
  addEventListener("online", () => source || back());
  addEventListener("pagehide", () => source?.close());
  addEventListener("pageshow", (event) => event.persisted && back());
  // A tab that nobody sees needs no stream: browsers allow but a few to one server.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
      clearTimeout(attempt);
    } else {
      back();
    }
  });
  connect();
  await_clock();
})();
