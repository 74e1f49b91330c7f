package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
	"github.com/portcullis-operator/portcullis/internal/version"
)

// Options say how far a plan goes.
type Options struct {
	// Render says that the chart is rendered, once its values pass its schema.
	Render bool
}

// Compose makes the plan of a resource from what was gathered. Its error says that the check itself could not be
// made; what is wrong with the object is in Plan.Faults.
func Compose(ctx context.Context, tools Tools, in Inputs, opts Options) (Plan, error) {
	p := Plan{Inputs: in, Release: in.Resource.Release()}
	p.Faults = slices.Concat(versionFaults(in), referenceFaults(in), in.Resource.greet(in))

	layers, err := in.Resource.layers(in)
	if fe, ok := errors.AsType[*derive.FieldError](err); ok {
		p.Faults = append(p.Faults, fault(rules.Error, rules.FieldInvalid, fe.Field, fe.Err.Error()))
		return p, nil
	} else if err != nil {
		return Plan{}, fmt.Errorf("derive the values: %w", err)
	}
	p.Effective = values.Merge(layers...)
	p.Faults = append(p.Faults, shadowFaults(p.Effective)...)
	p.Faults = append(p.Faults, in.Resource.check(p.Effective, p.defaults(tools))...)
	if p.Chart == nil {
		return p.cleaned(), nil
	}
	if err := p.checkValues(tools); err != nil {
		return Plan{}, err
	}
	if opts.Render && !p.refused() {
		p.Faults = append(p.Faults, p.render(ctx, tools)...)
	}
	return p.cleaned(), nil
}

// Render renders the chart of a plan that was composed without, whatever its faults, and returns what the render shows:
// an object that is stored with faults of old is judged by its templates all the same. Where there is no chart, or no
// values for it, it shows nothing.
func (p *Plan) Render(ctx context.Context, tools Tools) []rules.Fault {
	return p.cleansed(p.render(ctx, tools))
}

// defaults returns the defaults of the chart, for whoever asks. A chart that does not load says so elsewhere.
func (p *Plan) defaults(tools Tools) func() map[string]any {
	return func() map[string]any {
		if p.Chart == nil {
			return nil
		}
		defaults, err := tools.Schemas.Defaults(p.Chart)
		if err != nil {
			return nil
		}
		return defaults
	}
}

// checkValues adds the chart's verdict on the effective values.
func (p *Plan) checkValues(tools Tools) error {
	violations, err := tools.Schemas.Check(p.Chart, p.Effective)
	if err != nil {
		return p.chartUnusable(err)
	}
	unknown, err := tools.Schemas.Unknown(p.Chart, p.Effective)
	if err != nil {
		return p.chartUnusable(err)
	}
	p.Faults = append(p.Faults, p.softened(violations, p.owedValue)...)
	p.Faults = append(p.Faults, unknown...)
	p.complete = true
	return nil
}

// chartUnusable turns an archive that does not load into a fault of the chart; anything else stays an error.
func (p *Plan) chartUnusable(err error) error {
	if problem, ok := errors.AsType[*chart.Problem](err); ok {
		p.Faults = append(p.Faults, fault(rules.Error, rules.ChartFault, "spec.version",
			fmt.Sprintf("chart %s %s cannot be used: %s", p.Chart.Ref.Name, p.Chart.Ref.Version, problem.Sentence)))
		return nil
	}
	return fmt.Errorf("check values against chart %s %s: %w", p.Chart.Ref.Name, p.Chart.Ref.Version, err)
}

func (p *Plan) render(ctx context.Context, tools Tools) []rules.Fault {
	if !p.complete {
		return nil
	}
	rendered, err := tools.Renderer.Render(ctx, p.Request())
	if err != nil {
		p.RenderErr = err
		return p.softened([]rules.Fault{renderFault(p.Chart.Ref, err)}, p.owedRender(err))
	}
	p.Rendered = &rendered
	return releaseFaults(p)
}

func (p *Plan) refused() bool { return rules.Verdict{Faults: p.Faults}.Refused() }

// cleaned removes every known secret from the messages. It is the last step of every plan, so that no rule has to
// remember it.
func (p Plan) cleaned() Plan {
	p.Faults = p.cleansed(p.Faults)
	return p
}

func (p *Plan) cleansed(faults []rules.Fault) []rules.Fault {
	if len(faults) == 0 {
		return faults // To know the secrets is most of the work.
	}
	secrets := p.Effective.Secrets()
	for i := range faults {
		faults[i].Message = secrets.Clean(faults[i].Message)
	}
	return faults
}

// versionFaults says why there is no chart to plan with.
func versionFaults(in Inputs) []rules.Fault {
	if in.VersionErr != nil {
		return unresolvedFaults(in)
	}
	missing, ok := errors.AsType[*chart.NotFoundError](in.ChartErr)
	if !ok {
		return nil
	}
	field := "spec.version.version"
	if in.Resource.version().Version == "" {
		field = "spec.version.versionRef"
	}
	return []rules.Fault{fault(rules.Error, rules.VersionUnavailable, field, unavailable(missing))}
}

// unresolvedFaults speaks of referenced versions only: what is wrong with a written one is a rule of its own.
func unresolvedFaults(in Inputs) []rules.Fault {
	if reference, ok := errors.AsType[*version.ReferenceError](in.VersionErr); ok {
		severity := rules.Warning
		if !reference.Missing {
			severity = rules.Error
		}
		return []rules.Fault{fault(severity, rules.VersionUnresolved, "spec.version.versionRef", reference.Text)}
	}
	return nil
}
