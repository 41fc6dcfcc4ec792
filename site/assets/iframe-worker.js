// Opened from a disk a page may start no worker, and search is one. Here a hidden frame takes its place: it runs the same
// script, and what one side posts becomes an event of the other.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #ready;

    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => queueMicrotask(() => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        this.onmessage?.(event);
      });
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      this.#ready = new Promise((done) => (script.onload = () => done(inside)));
      frame.contentDocument.documentElement.append(script);
    }

    postMessage(data) {
      this.#ready.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }

    terminate() {}
  };
}
