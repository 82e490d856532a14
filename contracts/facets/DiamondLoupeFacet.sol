// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDealFacet} from "../interfaces/IDealFacet.sol";
import {IDiamondCut} from "../interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../interfaces/IDiamondLoupe.sol";
import {IERC165} from "../interfaces/IERC165.sol";
import {IFacet} from "../interfaces/IFacet.sol";
import {LibDiamond} from "../libraries/LibDiamond.sol";

/// @notice Shows the facets of a diamond (EIP-2535) and the interfaces that it supports (ERC-165).
/// @dev Version 1.1.0 always reports `IDealFacet` as supported; 1.2.0 only while every function of it is served.
/// @custom:version 1.2.0
contract DiamondLoupeFacet is IDiamondLoupe, IERC165, IFacet {
    /// @inheritdoc IDiamondLoupe
    function facets() external view returns (Facet[] memory) {
        return LibDiamond.facets();
    }

    /// @inheritdoc IDiamondLoupe
    function facetFunctionSelectors(address _facet) external view returns (bytes4[] memory) {
        Facet[] memory list = LibDiamond.facets();
        for (uint256 i; i < list.length; ++i) {
            if (list[i].facetAddress == _facet) return list[i].functionSelectors;
        }
        return new bytes4[](0);
    }

    /// @inheritdoc IDiamondLoupe
    function facetAddresses() external view returns (address[] memory addresses) {
        Facet[] memory list = LibDiamond.facets();
        addresses = new address[](list.length);
        for (uint256 i; i < list.length; ++i) {
            addresses[i] = list[i].facetAddress;
        }
    }

    /// @inheritdoc IDiamondLoupe
    function facetAddress(bytes4 _functionSelector) external view returns (address) {
        return LibDiamond.store().entries[_functionSelector].facet;
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) external view returns (bool) {
        // A cut can remove functions of deals.
        if (interfaceId == type(IDealFacet).interfaceId) return servesDeals();
        // No cut can remove these. EIP-2535 fixes the id of the cut interface to its one function, so it is
        // not type(IDiamondCut).interfaceId.
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IDiamondLoupe).interfaceId
            || interfaceId == IDiamondCut.diamondCut.selector;
    }

    /// @inheritdoc IFacet
    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](5);
        selectors[0] = IDiamondLoupe.facets.selector;
        selectors[1] = IDiamondLoupe.facetFunctionSelectors.selector;
        selectors[2] = IDiamondLoupe.facetAddresses.selector;
        selectors[3] = IDiamondLoupe.facetAddress.selector;
        selectors[4] = IERC165.supportsInterface.selector;
    }

    /// @inheritdoc IFacet
    function facetName() external pure returns (string memory) {
        return "DiamondLoupeFacet";
    }

    /// @inheritdoc IFacet
    function facetVersion() external pure returns (string memory) {
        return "1.2.0";
    }

    /// @dev One read per function. All of them must fit into the 30,000 gas of ERC-165.
    function servesDeals() private view returns (bool) {
        bytes4[9] memory functions = [
            IDealFacet.createDeals.selector,
            IDealFacet.cancelDeals.selector,
            IDealFacet.payToken.selector,
            IDealFacet.payNative.selector,
            IDealFacet.payTokenWithPermit.selector,
            IDealFacet.dealWords.selector,
            IDealFacet.termsHash.selector,
            IDealFacet.registry.selector,
            IDealFacet.sweep.selector
        ];
        for (uint256 i; i < functions.length; ++i) {
            if (LibDiamond.store().entries[functions[i]].facet == address(0)) return false;
        }
        return true;
    }
}
