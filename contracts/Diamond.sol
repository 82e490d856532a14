// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDiamondCut} from "./interfaces/IDiamondCut.sol";
import {IFacet} from "./interfaces/IFacet.sol";
import {IRegistry} from "./interfaces/IRegistry.sol";
import {LibDiamond} from "./libraries/LibDiamond.sol";

/// @notice One merchant wallet on one network (EIP-2535): a selector table without functions of its own.
/// @dev The creation code takes no arguments and is frozen, because the address of every diamond derives from it. The
///      registry that creates the diamond supplies everything that differs between releases.
contract Diamond {
    /// @notice No facet serves this function.
    /// @param selector The function's selector.
    error FunctionNotFound(bytes4 selector);
    /// @notice Coins are taken by `payNative` only.
    error NativeRefused();

    /// @notice Takes its registry and its facets from the caller, a registry.
    constructor() {
        LibDiamond.store().registry = msg.sender;
        (, address[] memory facets) = IRegistry(msg.sender).release();
        IDiamondCut.FacetCut[] memory cut = new IDiamondCut.FacetCut[](facets.length);
        for (uint256 i; i < facets.length; ++i) {
            bytes4[] memory selectors = IFacet(facets[i]).exportSelectors();
            LibDiamond.add(facets[i], selectors);
            cut[i] = IDiamondCut.FacetCut(facets[i], IDiamondCut.FacetCutAction.Add, selectors);
        }
        emit IDiamondCut.DiamondCut(cut, address(0), "");
    }

    /// @dev Payments pass through and are never held, so coins without a call are refused.
    receive() external payable {
        revert NativeRefused();
    }

    fallback() external payable {
        address facet = LibDiamond.store().entries[msg.sig].facet;
        if (facet == address(0)) revert FunctionNotFound(msg.sig);
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), facet, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
