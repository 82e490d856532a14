// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Describes a facet; called at the facet's own address.
/// @dev A diamond never serves these selectors, because every facet has them.
interface IFacet {
    /// @notice The selectors that a diamond takes from this facet (after ERC-8153).
    /// @return selectors In the order in which they are added.
    function exportSelectors() external pure returns (bytes4[] memory selectors);

    /// @notice Name of the facet in the release manifest.
    /// @return Such as `DealFacet`.
    function facetName() external pure returns (string memory);

    /// @notice Version label for people; the code hash is the identity.
    /// @return Such as `1.0.0`.
    function facetVersion() external pure returns (string memory);
}
