package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"tattle/cluster"
)

type clusterKubernetesCmd struct {
	Cluster string `env:"TATTLE_CLUSTER" help:"The NATS servers, as pods reach them: tls://HOST:PORT; several with commas." placeholder:"URL"`
	workFlags
	Image       string `required:"" help:"Image that holds tattle." placeholder:"IMAGE"`
	Program     string `help:"The tattle in the image." default:"tattle" placeholder:"FILE"`
	Count       int    `help:"How many workers." default:"4" placeholder:"N"`
	AtOnce      int    `help:"How many of them at a time (default: all)." placeholder:"N"`
	Cpus        int    `help:"Cores of each." default:"1" placeholder:"N"`
	Memory      string `help:"Memory of each." default:"4Gi" placeholder:"SIZE"`
	Time        int    `help:"Seconds after which the Job is ended; 0 never." placeholder:"SECONDS"`
	JobName     string `help:"Name of the Job." default:"tattle" placeholder:"NAME"`
	Namespace   string `help:"Namespace (default: that of kubectl)." placeholder:"NAME"`
	TokenSecret string `help:"Secret whose entry 'token' is the token." default:"tattle-token" placeholder:"NAME"`
	NkeySecret  string `help:"Secret whose entry 'seed' is an NKey's seed, instead of a token." placeholder:"NAME"`
	CASecret    string `name:"ca-secret" help:"Secret whose entry 'ca.crt' signed the servers' certificates (default: those the image trusts)." placeholder:"NAME"`
	CertSecret  string `help:"Secret with the workers' certificate, of type kubernetes.io/tls, where the servers want one." placeholder:"NAME"`
	Claim       string `help:"With --folder: PersistentVolumeClaim on which the folder lies, ReadWriteMany." placeholder:"NAME"`
	Mount       string `help:"Where the claim is mounted; --folder lies below it." default:"/runs" placeholder:"DIR"`
	User        int    `help:"Numeric user that workers run as." default:"65534" placeholder:"UID"`
}

func (clusterKubernetesCmd) Help() string {
	return `Example: tattle cluster kubernetes --cluster tls://nats:4222 --ca-secret nats-ca --image registry.example.org/tattle:1 --count 16 > workers.yaml

Example: tattle cluster kubernetes --folder /runs/age --claim runs --image registry.example.org/tattle:1 --count 16 > workers.yaml

Then kubectl apply -f workers.yaml. The token is a Secret of the cluster, made once:

  kubectl create secret generic tattle-token --from-file=token=FILE

Workers end when there is nothing left to do (--idle). A pod that is evicted or whose node is lost is started again and costs at most the shard under way. docs/cluster.md tells more.`
}

// Run prints the manifest.
func (c *clusterKubernetesCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	return c.manifest(e.stdout)
}

// What Kubernetes takes for names and quantities.
var (
	labelName  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$`) // room for the index in a pod's host name
	objectName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,200}[a-z0-9])?$`)
	quantity   = regexp.MustCompile(`^[1-9][0-9]{0,15}([KMGT]i|[kMGT])?$`)
	imageName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,500}$`)
)

// maxKubernetes is how many indices an Indexed Job may have.
const maxKubernetes = 100000

func (c *clusterKubernetesCmd) check() error {
	if c.Count < 1 || c.Count > maxKubernetes || c.AtOnce < 0 || c.Cpus < 1 || c.Time < 0 || c.User < 1 {
		return usage(fmt.Errorf("--count, --cpus and --user are at least 1, --count at most %d", maxKubernetes), "")
	}
	const names = "small letters, digits and -"
	err := errors.Join(
		matches("--memory", c.Memory, quantity, "write it as 4Gi"),
		matches("--image", c.Image, imageName, "write it as registry.example.org/tattle:1"),
		matches("--job-name", c.JobName, labelName, names+", at most 52"),
		matches("--namespace", c.Namespace, labelName, names),
		matches("--token-secret", c.TokenSecret, objectName, names),
		matches("--nkey-secret", c.NkeySecret, objectName, names),
		matches("--ca-secret", c.CASecret, objectName, names),
		matches("--cert-secret", c.CertSecret, objectName, names),
		matches("--claim", c.Claim, objectName, names),
		printable("--program", c.Program), printable("--cluster", c.Cluster), printable("--folder", c.Folder), printable("--mount", c.Mount),
		c.workFlags.check(c.Cluster),
	)
	if err != nil {
		return first(err)
	}
	if c.Cluster != "" {
		if here, _ := cluster.CheckURL(c.Cluster); here {
			return usage(fmt.Errorf("--cluster %s: leads every pod to itself", c.Cluster), "name the server as pods reach it: tls://nats.NAMESPACE.svc:4222")
		}
		if c.TokenSecret == "" && c.NkeySecret == "" {
			return usage(errors.New("--token-secret or --nkey-secret: beyond one machine workers show a token or an NKey"), "")
		}
		return nil
	}
	mount, folder := path.Clean(c.Mount), path.Clean(c.Folder)
	switch {
	case c.Claim == "":
		return usage(errors.New("--folder: --claim is missing, the volume that all pods share"), "")
	case !path.IsAbs(mount) || mount == "/" || strings.Contains(mount, ":"):
		return usage(fmt.Errorf("--mount %s: is an absolute path other than /, without colons", c.Mount), "")
	case folder != mount && !strings.HasPrefix(folder, mount+"/"):
		return usage(fmt.Errorf("--folder %s: lies not below %s, where the claim is mounted", c.Folder, mount), "write it as pods see it")
	}
	return nil
}

// Where a pod finds what it is given.
const (
	podNKey = "/etc/tattle/nkey"
	podCA   = "/etc/tattle/ca"
	podCert = "/etc/tattle/cert"
	podTemp = "/tmp"
)

// A volume is something that a pod sees as a folder.
type volume struct {
	name, path string
	readOnly   bool
	source     []string // lines of YAML
}

func (c *clusterKubernetesCmd) volumes() []volume {
	secret := func(name, of, path string) volume {
		return volume{name, path, true, []string{"secret:", "  secretName: " + scalar(of), "  defaultMode: 288"}}
	}
	volumes := []volume{{"scratch", podTemp, false, []string{"emptyDir: {}"}}}
	if c.Folder != "" {
		return append(volumes, volume{"runs", path.Clean(c.Mount), false, []string{"persistentVolumeClaim:", "  claimName: " + scalar(c.Claim)}})
	}
	if c.NkeySecret != "" {
		volumes = append(volumes, secret("nkey", c.NkeySecret, podNKey))
	}
	if c.CASecret != "" {
		volumes = append(volumes, secret("ca", c.CASecret, podCA))
	}
	if c.CertSecret != "" {
		volumes = append(volumes, secret("cert", c.CertSecret, podCert))
	}
	return volumes
}

// args are a worker's. Kubernetes puts the index in the place of $(JOB_COMPLETION_INDEX);
// elsewhere $$ is a dollar sign.
func (c *clusterKubernetesCmd) args() []string {
	const index = "\x00"
	args := append([]string{"worker"}, c.worker(c.Cluster, index, c.Count)...)
	if c.Cluster != "" {
		args = append(args, "--scratch", podTemp+"/tattle")
		if c.NkeySecret != "" {
			args = append(args, "--cluster-nkey-file", podNKey+"/seed")
		}
		if c.CASecret != "" {
			args = append(args, "--cluster-ca", podCA+"/ca.crt")
		}
		if c.CertSecret != "" {
			args = append(args, "--cluster-cert", podCert+"/tls.crt", "--cluster-key", podCert+"/tls.key")
		}
	}
	for i, a := range args {
		args[i] = strings.ReplaceAll(strings.ReplaceAll(a, "$", "$$"), index, "$(JOB_COMPLETION_INDEX)")
	}
	return args
}

// scalar writes a string as YAML reads it: in double quotes, as in JSON.
func scalar(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // of a string it does not fail
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A yamlWriter writes lines at a depth.
type yamlWriter struct{ b strings.Builder }

func (y *yamlWriter) put(depth int, format string, a ...any) {
	fmt.Fprintf(&y.b, "%s%s\n", strings.Repeat("  ", depth), fmt.Sprintf(format, a...))
}

// manifest writes the Job.
func (c *clusterKubernetesCmd) manifest(w io.Writer) error {
	var y yamlWriter
	y.put(0, "# Workers of tattle: kubectl apply -f this file. Printed by tattle cluster kubernetes.")
	y.put(0, "apiVersion: batch/v1")
	y.put(0, "kind: Job")
	y.put(0, "metadata:")
	y.put(1, "name: %s", scalar(c.JobName))
	if c.Namespace != "" {
		y.put(1, "namespace: %s", scalar(c.Namespace))
	}
	y.put(1, "labels:")
	y.put(2, "app.kubernetes.io/name: tattle")
	y.put(0, "spec:")
	c.job(&y)
	y.put(1, "template:")
	y.put(2, "metadata:")
	y.put(3, "labels:")
	y.put(4, "app.kubernetes.io/name: tattle")
	y.put(2, "spec:")
	c.pod(&y)
	_, err := io.WriteString(w, y.b.String())
	return err
}

// job writes how many there are, and what becomes of those that fail.
func (c *clusterKubernetesCmd) job(y *yamlWriter) {
	parallel := c.AtOnce
	if parallel == 0 {
		parallel = c.Count
	}
	y.put(1, "completionMode: Indexed")
	y.put(1, "completions: %d", c.Count)
	y.put(1, "parallelism: %d", min(parallel, c.Count))
	y.put(1, "backoffLimitPerIndex: 3")
	if c.Time > 0 {
		y.put(1, "activeDeadlineSeconds: %d", c.Time)
	}
	y.put(1, "podFailurePolicy:")
	y.put(2, "rules:")
	y.put(2, "# an eviction or a lost node is not the worker's fault")
	y.put(2, "- action: Ignore")
	y.put(2, "  onPodConditions:")
	y.put(2, "  - type: DisruptionTarget")
	y.put(2, "# wrong usage stays wrong")
	y.put(2, "- action: FailJob")
	y.put(2, "  onExitCodes:")
	y.put(2, "    containerName: worker")
	y.put(2, "    operator: In")
	y.put(2, "    values: [%d]", statusUsage)
}

// pod writes what a worker is.
func (c *clusterKubernetesCmd) pod(y *yamlWriter) {
	y.put(3, "restartPolicy: Never")
	y.put(3, "terminationGracePeriodSeconds: 60")
	y.put(3, "automountServiceAccountToken: false")
	y.put(3, "enableServiceLinks: false")
	y.put(3, "securityContext:")
	y.put(4, "runAsNonRoot: true")
	y.put(4, "runAsUser: %d", c.User)
	y.put(4, "runAsGroup: %d", c.User)
	y.put(4, "fsGroup: %d", c.User)
	y.put(4, "seccompProfile:")
	y.put(5, "type: RuntimeDefault")
	y.put(3, "containers:")
	y.put(3, "- name: worker")
	y.put(4, "image: %s", scalar(c.Image))
	y.put(4, "command:")
	y.put(4, "- %s", scalar(strings.ReplaceAll(c.Program, "$", "$$")))
	y.put(4, "args:")
	for _, a := range c.args() {
		y.put(4, "- %s", scalar(a))
	}
	c.environment(y)
	y.put(4, "resources:")
	for _, kind := range []string{"requests", "limits"} {
		y.put(5, "%s:", kind)
		y.put(6, "cpu: %s", scalar(fmt.Sprint(c.Cpus)))
		y.put(6, "memory: %s", scalar(c.Memory))
	}
	y.put(4, "securityContext:")
	y.put(5, "allowPrivilegeEscalation: false")
	y.put(5, "readOnlyRootFilesystem: true")
	y.put(5, "capabilities:")
	y.put(6, "drop: [ALL]")
	y.put(4, "volumeMounts:")
	for _, v := range c.volumes() {
		y.put(4, "- name: %s", v.name)
		y.put(4, "  mountPath: %s", scalar(v.path))
		if v.readOnly {
			y.put(4, "  readOnly: true")
		}
	}
	y.put(3, "volumes:")
	for _, v := range c.volumes() {
		y.put(3, "- name: %s", v.name)
		for _, line := range v.source {
			y.put(3, "  %s", line)
		}
	}
}

// environment writes the variables: cores, a home that can be written, and the token.
func (c *clusterKubernetesCmd) environment(y *yamlWriter) {
	y.put(4, "env:")
	y.put(4, "- name: GOMAXPROCS")
	y.put(4, "  value: %s", scalar(fmt.Sprint(c.Cpus)))
	y.put(4, "- name: HOME")
	y.put(4, "  value: %s", scalar(podTemp))
	if c.Folder != "" || c.NkeySecret != "" {
		return
	}
	y.put(4, "- name: TATTLE_CLUSTER_TOKEN")
	y.put(4, "  valueFrom:")
	y.put(4, "    secretKeyRef:")
	y.put(4, "      name: %s", scalar(c.TokenSecret))
	y.put(4, "      key: token")
}
