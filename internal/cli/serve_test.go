package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// servants are the servers in the background, by their process.
var servants sync.Map

// address is where a server says that it is.
var address = regexp.MustCompile(`http://\S+`)

// serving NAME ARG... runs tattle serve in the background, or tattle guard serve if ARG begins with
// guard, at a free port of this machine unless an ARG names one. The variable NAME becomes its address, of it NAME_HOST
// host and port, and NAME_PID its process.
func serving(ts *testscript.TestScript, _ bool, args []string) {
	name, flags := args[0], append([]string{"serve"}, args[1:]...)
	if args[1] == "guard" {
		flags = append([]string{"guard", "serve"}, args[2:]...)
	}
	if !strings.Contains(strings.Join(flags, " "), "--listen") {
		flags = append(flags, "--listen", "127.0.0.1:0")
	}
	var stderr bytes.Buffer
	cmd := process(ts, flags...)
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(ts.Stdout(), lines.Text())
		if at := address.FindString(lines.Text()); at != "" {
			pid := strconv.Itoa(cmd.Process.Pid)
			servants.Store(pid, cmd)
			ts.Setenv(name, strings.TrimSuffix(at, "/"))
			ts.Setenv(name+"_HOST", strings.Split(at, "/")[2])
			ts.Setenv(name+"_PID", pid)
			return
		}
	}
	cmd.Wait()
	ts.Fatalf("it serves nothing: %s", stderr.String())
}

// stopped NAME presses Ctrl-C on what serving began, which must end well.
func stopped(ts *testscript.TestScript, _ bool, args []string) {
	s, ok := servants.LoadAndDelete(ts.Getenv(args[0] + "_PID"))
	if !ok {
		ts.Fatalf("%s: nothing of that name serves", args[0])
	}
	cmd := s.(*exec.Cmd)
	ts.Check(cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err != nil {
		ts.Fatalf("%s: %v: %s", args[0], err, cmd.Stderr)
	}
	ts.Stderr().Write(cmd.Stderr.(*bytes.Buffer).Bytes())
}

// fetch STATUS URL [HEADER:VALUE] asks, keeps cookies on the way, expects the status and
// leaves the headers and the body in stdout. A Host header is the request's own.
func fetch(ts *testscript.TestScript, _ bool, args []string) {
	request, err := http.NewRequest(http.MethodGet, args[1], nil)
	ts.Check(err)
	if len(args) > 2 {
		key, value, _ := strings.Cut(args[2], ":")
		request.Header.Set(key, value)
		if key == "Host" {
			request.Host = value
		}
	}
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	client := http.Client{Jar: jar, Timeout: time.Minute}
	response, err := client.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	ts.Check(err)
	response.Header.Write(ts.Stdout())
	ts.Stdout().Write(body)
	if strconv.Itoa(response.StatusCode) != args[0] {
		ts.Fatalf("%s: %s, want %s: %s", args[1], response.Status, args[0], body)
	}
}
