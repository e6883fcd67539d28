package dataset

import (
	"fmt"
	"image"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// reshape changes the pictures of a set, [n, channels, height, width], as the
// preprocessing says.
func (p Preprocess) reshape(source string, s *Set) error {
	if p.Resize == nil && p.Crop == nil && p.Layout != LayoutHWC && p.channelsOf(len(s.Mean)) == len(s.Mean) && p.Channels != ChannelsBGR {
		return p.normalise(source, s, len(s.Mean))
	}
	if len(s.Shape) != 3 {
		return fmt.Errorf("%s: examples of shape %s are not pictures, so they cannot be resized: leave resize and crop out", source, nn.ShapeString(s.Shape))
	}
	channels, height, width := s.Shape[0], s.Shape[1], s.Shape[2]
	z := p.newShaping(image.Point{width, height}, channels)
	n, from := s.Len(), s.size()
	if err := z.check(image.Point{width, height}); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	if uint64(n) > maxPictures/uint64(z.bytes()) {
		return tooMany(source, n, z)
	}
	pixels := make([]uint8, n*z.bytes())
	simd.Parallel(n, 1, func(lo, hi int) {
		z := z.another()
		for i := lo; i < hi; i++ {
			z.gather(s.Pixels[i*from:][:from], channels, height, width)
			z.finish(pixels[i*z.bytes():][:z.bytes()])
		}
	})
	s.Pixels, s.Shape, s.ChannelsLast = pixels, z.shapeOf(), p.Layout == LayoutHWC
	s.Resized = p.Resize != nil
	return p.normalise(source, s, z.channels)
}

func tooMany(source string, n int, z *shaping) error {
	return fmt.Errorf("%s: %d pictures of %d × %d pixels take more than %d GB: ask for a smaller size or fewer pictures", source, n, z.size.X, z.size.Y, maxPictures>>30)
}

// normalise sets what the values of n channels become: what is asked for, or what
// the set has, in the order of the channels.
func (p Preprocess) normalise(source string, s *Set, n int) error {
	if p.Normalises() {
		mean, std, err := p.perChannel(n)
		if err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		s.Mean, s.Std = mean, std
		return nil
	}
	s.Mean, s.Std = arranged(s.Mean, n, p.Channels), arranged(s.Std, n, p.Channels)
	return nil
}

// arranged gives n channels the numbers of others: repeated, in the opposite order
// for blue first, and their mean for one channel of several.
func arranged(values []float32, n int, channels string) []float32 {
	switch {
	case len(values) == 1:
		return slices.Repeat(values, n)
	case n == 1:
		sum := 0.
		for _, v := range values {
			sum += float64(v)
		}
		return []float32{float32(sum / float64(len(values)))}
	}
	values = slices.Clone(values)
	if channels == ChannelsBGR {
		slices.Reverse(values)
	}
	return values
}
